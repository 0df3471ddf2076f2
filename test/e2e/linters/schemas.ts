import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import type { ApiClient } from "../../../rehearsal/cluster/api-client";
import { crdDefinitions, crdSources } from "../../../rehearsal/cluster/chart-crds";

/** OpenAPI 3.0 and Swagger 2.0 schemas follow this draft: `exclusiveMinimum` is a boolean, beside `$ref` nothing counts. */
const DRAFT = "http://json-schema.org/draft-04/schema#";

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** Definitions leave them out or not: they are part of every object. */
const NAMED_IN_EVERY_OBJECT = { apiVersion: { type: "string" }, kind: { type: "string" } };

interface Schema {
  readonly [keyword: string]: unknown;
}

type Definitions = Readonly<Record<string, Schema>>;

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface CustomResourceDefinition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/**
 * Writes JSON Schemas, of the API server for built-in kinds and of the pinned modules for custom resources, as
 * `<group>/<kind>_<version>.json` (`v1/<kind>_v1.json` in the core group). They are closed against unknown fields where
 * the API server would drop or refuse them.
 *
 * @param kinds the ones that are wanted, as `<Kind>.<group>`: there are hundreds, in megabytes of YAML.
 * @throws Error when a module is not downloaded, with the command that does it.
 */
export async function writeSchemas(client: ApiClient, kinds: ReadonlySet<string>, folder: string): Promise<void> {
  const { status, body } = await client.request("GET", "/openapi/v2");
  if (status !== 200) {
    throw new Error(`the API server answers ${status} when asked for its schemas`);
  }
  const definitions = closedMap((body as { readonly definitions: Definitions }).definitions);
  for (const schema of Object.values(definitions)) {
    const served = (schema["x-kubernetes-group-version-kind"] ?? []) as readonly GroupVersionKind[];
    for (const kind of served.filter(({ kind, group, version }) => kinds.has(`${kind}.${group || version}`))) {
      write(folder, kind, schema, definitions);
    }
  }
  for (const { kind, schema } of await customResources(kinds)) {
    const properties = {
      ...NAMED_IN_EVERY_OBJECT,
      ...(schema.properties as Definitions),
      metadata: { $ref: `#/definitions/${OBJECT_META}` },
    };
    write(folder, kind, closed({ ...schema, properties }), definitions);
  }
}

async function customResources(
  kinds: ReadonlySet<string>,
): Promise<{ readonly kind: GroupVersionKind; readonly schema: Schema }[]> {
  const definitions = await Promise.all(crdSources().map((source) => crdDefinitions(source, kinds)));
  return definitions
    .flat()
    .map(({ text }) => parse(text) as CustomResourceDefinition)
    .flatMap(({ spec: { group, names, versions } }) =>
      versions.map(({ name: version, schema }) => ({
        kind: { group, version, kind: names.kind },
        schema: schema.openAPIV3Schema,
      })),
    );
}

function write(
  folder: string,
  { group, version, kind }: GroupVersionKind,
  schema: Schema,
  definitions: Definitions,
): void {
  const file = join(folder, group === "" ? version : group, `${kind.toLowerCase()}_${version}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ $schema: DRAFT, ...schema, definitions: reachable(schema, definitions) }));
}

/** The definitions that a schema refers to, and those that they refer to. */
function reachable(schema: Schema, definitions: Definitions): Definitions {
  const found: Record<string, Schema> = {};
  const pending = [schema];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [, name = ""] of JSON.stringify(next).matchAll(/"#\/definitions\/([^"]+)"/g)) {
      const definition = definitions[name];
      if (definition === undefined || name in found) {
        continue;
      }
      found[name] = definition;
      pending.push(definition);
    }
  }
  return found;
}

/** The schema, with objects closed that have properties of their own and are not said to keep unknown ones. */
function closed(schema: Schema): Schema {
  const inner = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === "properties") {
        return [keyword, closedMap(value as Definitions)];
      }
      const isSchema = typeof value === "object" && (keyword === "items" || keyword === "additionalProperties");
      return [keyword, isSchema ? closed(value as Schema) : value];
    }),
  );
  if (schema.format === "int-or-string") {
    return { type: ["integer", "string"] };
  }
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties !== undefined;
  return schema.properties !== undefined && !isOpen ? { ...inner, additionalProperties: false } : inner;
}

function closedMap(schemas: Definitions): Definitions {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closed(schema)]));
}
