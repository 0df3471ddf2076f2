/** Allowed values in words, from the schema's metadata, so that messages match the rules. */
import { z } from "zod";
import { holdsCredential } from "./core/credentials";
import { list, type Path, valueAt } from "./core/problems";
import type { Discriminator } from "./core/sections/tagged-union";
import { configSchema } from "./schema";
import { shapeOf } from "./union-fields";

/** Part of zod's JSON Schema for our sections, with the metadata of sections/fields.ts. */
export interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly unit?: string;
  readonly allowed?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  /** Common words outside `enum`, and what to do instead. */
  readonly notTaken?: Readonly<Record<string, string>>;
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly additionalProperties?: FieldSchema | boolean;
  readonly propertyNames?: FieldSchema;
  readonly items?: FieldSchema;
  readonly oneOf?: readonly FieldSchema[];
  /** Of a tagged union with members in `oneOf`: see union-fields.ts. */
  readonly discriminator?: Discriminator;
  /** Several types. */
  readonly anyOf?: readonly FieldSchema[];
  readonly required?: readonly string[];
}

let whole: FieldSchema | undefined;

/** JSON Schema of input (before defaults). */
export function inputSchema(): FieldSchema {
  whole ??= z.toJSONSchema(configSchema, { io: "input", target: "draft-7" }) as FieldSchema;
  return whole;
}

/**
 * Undefined where the schema has none.
 *
 * @param values the whole configuration, whose tags select union members. Without them a union has
 * the keys of all members, or of the default one.
 * @param root schema of the whole configuration.
 */
export function fieldAt(path: Path, values?: unknown, root = inputSchema()): FieldSchema | undefined {
  return path.reduce<FieldSchema | undefined>(
    (field, key, depth) => field && childOf(shapeOf(field, valueAt(values, path.slice(0, depth))), key),
    root,
  );
}

/** Of several types, the first with such a child. */
function childOf(field: FieldSchema, key: string | number): FieldSchema | undefined {
  if (field.anyOf) {
    return field.anyOf.map((form) => childOf(form, key)).find((child) => child !== undefined);
  }
  if (typeof key === "number") {
    return field.items;
  }
  if (field.properties && Object.hasOwn(field.properties, key)) {
    return field.properties[key];
  }
  return typeof field.additionalProperties === "object" ? field.additionalProperties : undefined;
}

/** Empty for free names. */
export function keysOf(field: FieldSchema | undefined, value?: unknown): string[] {
  return field === undefined ? [] : Object.keys(shapeOf(field, value).properties ?? {});
}

/** `a whole number from 1 to 64 (GPUs)`. */
export function allowedText(field: FieldSchema | undefined): string {
  if (!field) {
    return "nothing here";
  }
  const text = field.allowed ?? typeText(field);
  return field.unit === undefined ? text : `${text} (${field.unit})`;
}

function typeText(field: FieldSchema): string {
  if (field.enum) {
    return `one of ${field.enum.join(", ")}`;
  }
  switch (field.type) {
    case "integer":
      return `a whole number${rangeText(field)}`;
    case "number":
      return `a number${rangeText(field)}`;
    case "boolean":
      return "true or false";
    case "string":
      return "text";
    case "array":
      return `a list; each item ${allowedText(field.items)}`;
    default: {
      const keys = keysOf(field);
      return keys.length === 0 ? "a mapping of names" : `a mapping with the keys ${list(keys)}`;
    }
  }
}

function rangeText({ minimum, exclusiveMinimum, maximum }: FieldSchema): string {
  const from = exclusiveMinimum === undefined ? ` from ${minimum}` : ` above ${exclusiveMinimum}`;
  return minimum === undefined && exclusiveMinimum === undefined ? "" : `${from} to ${maximum}`;
}

/** A valid value, as YAML on one line. */
export function exampleText(field: FieldSchema | undefined): string | undefined {
  const example = field?.example ?? field?.enum?.[0] ?? field?.default;
  return example === undefined ? undefined : flowYaml(example);
}

/** Flow style: `{kind: local}`, `[a, b]`. */
export function flowYaml(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(flowYaml).join(", ")}]`;
  }
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${key}: ${flowYaml(item)}`)
      .join(", ")}}`;
  }
  return typeof value === "string" && !/^[A-Za-z][\w./@-]*(:\/\/[\w./@-]+)?$/.test(value)
    ? JSON.stringify(value)
    : String(value);
}

/** One-line YAML where valid and no credential; else `…`. */
export function printable(field: FieldSchema = {}, value: unknown): string {
  if (Array.isArray(value) && field.type === "array") {
    const items = value.map((item) => printable(field.items, item));
    return items.length > 8 || items.includes("…") ? "…" : `[${items.join(", ")}]`;
  }
  const isTaken = (field.anyOf ?? [field]).some(({ type, enum: words, pattern }) =>
    words === undefined
      ? (type === typeof value || (type === "integer" && typeof value === "number")) &&
        (pattern === undefined || new RegExp(pattern, "u").test(`${value}`))
      : words.includes(value),
  );
  const isSafe = typeof value !== "string" || (value.length <= 100 && !holdsCredential(value));
  return isTaken && isSafe && typeof value !== "object" ? flowYaml(value) : "…";
}
