/** JSON Schema of `Pulumi.<env>.yaml` for editors: completion, hover texts and validation. */
import { findModel, modelNames } from "../../catalog/models";
import { cards, shapes } from "../../catalog/shapes";
import { NAMESPACE } from "./core/schema";
import { type FieldSchema, inputSchema } from "./field-text";
import { API_KEY_NAME, secretKeys } from "./secrets";

type Json = Record<string, unknown>;

/** From the repository root. */
export const SCHEMA_FILE = "schemas/environment.schema.json";

/** Form of `pulumi config set --secret`. */
const ENCRYPTED = {
  type: "object",
  properties: { secure: { type: "string" } },
  required: ["secure"],
  additionalProperties: false,
};

/** Other namespaces pass, unknown keys of ours do not. */
export function environmentFileSchema(): Json {
  const { properties = {}, required = [] } = inputSchema();
  const ours = Object.entries(properties).map(([key, field]) => {
    const isSecret = secretKeys.some((secret) => secret === key);
    return [
      `${NAMESPACE}:${key}`,
      isSecret ? { description: field.description, ...ENCRYPTED } : forEditors(field, [key]),
    ];
  });
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Environment of inference-stacks (Pulumi.<env>.yaml)",
    description: `Generated from stacks/config by npm run schema. Do not edit.`,
    type: "object",
    required: ["config"],
    additionalProperties: false,
    properties: {
      config: {
        type: "object",
        properties: Object.fromEntries(ours),
        required: required.map((key) => `${NAMESPACE}:${key}`),
        patternProperties: {
          [`^(?!${NAMESPACE}:)[^:]+:.+$`]: {},
          [API_KEY_NAME.source.replace("^", `^${NAMESPACE}:`)]: {
            description: "API key of a server outside, which names it as secretKey.",
            ...ENCRYPTED,
          },
        },
        additionalProperties: false,
      },
      encryptionsalt: { type: "string", description: "Written by Pulumi." },
      secretsprovider: { type: "string", description: "Written by Pulumi." },
      encryptedkey: { type: "string", description: "Written by Pulumi." },
      environment: { description: "Pulumi ESC environments to import." },
    },
  };
}

/** Fields that accept other names too: of cards with `gpuMemoryGiB`. */
const OPEN: readonly string[] = ["pools.*.node.card"];

/** Catalogue names for completion, by path (`*` for free names). */
const catalogueNames: Readonly<Record<string, () => readonly string[]>> = {
  "pools.*.shape": () => shapes.filter((shape) => !shape.denied).map((shape) => shape.name),
  "pools.*.node.card": () => cards.map((card) => card.name),
  "models.*.model": () => [...modelNames(), ...modelNames().flatMap((name) => findModel(name)?.repository ?? [])],
};

/** With its unit in the description, without metadata for our messages. */
function forEditors(field: FieldSchema, path: readonly string[]): Json {
  const place = path.join(".");
  const names = catalogueNames[place];
  if (names) {
    const known = { type: "string", enum: [...names()] };
    const { description } = field;
    return OPEN.includes(place)
      ? { description, anyOf: [known, { type: "string", minLength: 1 }] }
      : { description, ...known };
  }
  const {
    unit,
    allowed,
    example,
    description,
    properties,
    propertyNames,
    additionalProperties,
    items,
    oneOf,
    anyOf,
    // OpenAPI's word: strict JSON Schema validators refuse it, and editors use the tags.
    discriminator,
    ...rest
  } = field;
  const hover = [description, unit && `Unit: ${unit}.`, allowed && `Allowed: ${allowed}.`].filter(Boolean).join(" ");
  const children = Object.entries(properties ?? {}).map(([key, child]) => [key, forEditors(child, [...path, key])]);
  const others =
    typeof additionalProperties === "object" ? forEditors(additionalProperties, [...path, "*"]) : additionalProperties;
  return {
    ...(hover && { description: hover }),
    ...rest,
    ...(example !== undefined && { examples: [example] }),
    ...(properties && { properties: Object.fromEntries(children) }),
    ...(propertyNames && { propertyNames: forEditors(propertyNames, path.concat("")) }),
    ...(others !== undefined && { additionalProperties: others }),
    ...(items && { items: forEditors(items, path) }),
    ...(anyOf && { anyOf: anyOf.map((variant) => forEditors(variant, path)) }),
    ...(oneOf && { oneOf: oneOf.map((variant) => forEditors(variant, path)) }),
  };
}

/** Stable, so that a test can compare it. */
export function schemaText(): string {
  return `${JSON.stringify(environmentFileSchema(), undefined, 2)}\n`;
}
