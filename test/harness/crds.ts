import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@cfworker/json-schema";

const FIXTURES = join(__dirname, "..", "fixtures", "crds");

/** A CRD's schema as kept in test/fixtures/crds: the published one without descriptions and status. */
interface CrdFixture {
  readonly source: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: Schema;
}

export interface Schema {
  readonly [key: string]: unknown;
}

let known: ReadonlyMap<string, CrdFixture> | undefined;
const validators = new Map<string, Validator>();

/** What an error of a part is reported with, once more, for the whole. */
const WHOLES: ReadonlySet<string> = new Set(["properties", "items", "additionalProperties", "allOf"]);

/**
 * Checks a custom resource against its CRD's schema, and for fields that the schema does not know: the API server
 * drops those without a word.
 *
 * @returns one message per problem, with its path.
 * @throws Error when there is no fixture for its kind.
 */
export function crdProblems(resource: Readonly<Record<string, unknown>>): string[] {
  const schema = fixtureOf(resource);
  const key = keyOf(resource);
  // Each object is seen a few times: a validator that reads the schema is done before another has compiled it.
  const validator = validators.get(key) ?? new Validator(closed(schema, true), "7", false);
  validators.set(key, validator);
  return validator
    .validate(resource)
    .errors.filter(({ keyword }) => !WHOLES.has(keyword))
    .map(({ keyword, instanceLocation, error }) => {
      const problem = keyword === "false" ? "the schema has no such field" : error;
      return `${resource.kind}${instanceLocation.slice(1)}: ${problem}`;
    });
}

/**
 * The schema of a custom resource's kind.
 *
 * @throws Error when there is no fixture for it.
 */
export function fixtureOf(resource: Readonly<Record<string, unknown>>): Schema {
  known ??= new Map(fixtures().map((crd) => [keyOf({ ...crd }), crd]));
  const key = keyOf(resource);
  const found = known.get(key);
  if (found === undefined) {
    throw new Error(`no CRD schema for ${key} in test/fixtures/crds; there are: ${[...known.keys()].join(", ")}`);
  }
  return found.schema;
}

function keyOf({ apiVersion, kind }: Readonly<Record<string, unknown>>): string {
  return `${apiVersion}/${kind}`;
}

function fixtures(): CrdFixture[] {
  return readdirSync(FIXTURES)
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(join(FIXTURES, file), "utf8")) as CrdFixture);
}

/** The schema with objects closed where Kubernetes prunes: known properties and no `preserve-unknown-fields`. */
function closed(schema: Schema, root = false): Schema {
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === "properties") {
        return [
          key,
          Object.fromEntries(Object.entries(value as Record<string, Schema>).map(([name, s]) => [name, closed(s)])),
        ];
      }
      if (key === "items" || (key === "additionalProperties" && typeof value === "object")) {
        return [key, closed(value as Schema)];
      }
      return [key, value];
    }),
  );
  const open = schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties !== undefined;
  const prunes = schema.properties !== undefined && !open && !root;
  // metadata is typed by Kubernetes, not by the CRD; a schema without properties, as metadata's, stays open.
  return prunes ? { ...inner, additionalProperties: false } : inner;
}
