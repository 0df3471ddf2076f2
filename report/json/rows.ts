/** Every key of a document that is printed as JSON, from its schema. */
import { z } from "zod";
import type { FieldSchema } from "../../stacks/config/field-text";
import { tagField, type UnionField, unionOf } from "../../stacks/config/union-fields";
import { planSchema } from "./schema";

/** A key and what is known of it. */
export interface KeyRow {
  /** `models[].memoryPerGpu.totalGiB`. Names that the environment chooses are no keys. */
  readonly path: string;
  readonly description: string;
  /** `number`, `list of text`, or the values that it may have. */
  readonly type: string;
  readonly unit: string | undefined;
  readonly isOptional: boolean;
}

/** The document as it is printed, in the JSON Schema that most validators know. */
export const DOCUMENT = { io: "output", target: "draft-7" } as const;

/**
 * Parents before their keys, in document order.
 * @param schema
 * @default that of `plan --json`
 */
export function keyRows(schema: z.ZodType = planSchema): KeyRow[] {
  return below(z.toJSONSchema(schema, DOCUMENT) as FieldSchema, "");
}

function below(field: FieldSchema, path: string): KeyRow[] {
  const union = unionOf(field);
  if (union !== undefined) {
    return unionRows(union, path);
  }
  const { properties = {}, required = [], items } = field;
  const own = Object.entries(properties).flatMap(([key, child]) =>
    at(child, path === "" ? key : `${path}.${key}`, !required.includes(key)),
  );
  return [...own, ...(items === undefined ? [] : below(items, `${path}[]`))];
}

function at(field: FieldSchema, path: string, isOptional: boolean): KeyRow[] {
  const { description = "", unit } = field;
  return [{ path, description, type: typeOf(field), unit, isOptional }, ...below(field, path)];
}

/** The tag, then what each member has besides. */
function unionRows(union: UnionField, path: string): KeyRow[] {
  const [tag] = at(tagField(union), `${path}.${union.tag}`, false);
  const others = [...union.members].flatMap(([name, { properties = {}, required }]) =>
    Object.entries(properties)
      .filter(([key]) => key !== union.tag)
      .flatMap(([key, child]) => at(child, `${path}.${key}`, !required?.includes(key)))
      .map((row) => ({
        ...row,
        description: `With ${union.tag} \`${name}\`: ${row.description}`,
        isOptional: true,
      })),
  );
  return tag === undefined ? others : [tag, ...others];
}

function typeOf({ type, enum: words, const: only, items, anyOf, oneOf, ...field }: FieldSchema): string {
  if (only !== undefined || words !== undefined) {
    return (words ?? [only]).map((word) => `\`${word}\``).join(", ");
  }
  const variants = anyOf ?? (oneOf?.some((each) => each.type !== "object") ? oneOf : undefined);
  if (variants !== undefined) {
    return variants.map(typeOf).join(" or ");
  }
  switch (type) {
    case "integer":
      return "whole number";
    case "number":
      return "number";
    case "boolean":
      return "true or false";
    case "array":
      return `list of ${items === undefined ? "anything" : typeOf(items)}`;
    case "object": {
      const { additionalProperties: others } = field;
      return typeof others === "object" ? `mapping of names to ${typeOf(others)}` : "mapping";
    }
    case "null":
      return "null";
    default:
      return type === undefined ? (oneOf === undefined ? "anything" : "mapping") : "text";
  }
}
