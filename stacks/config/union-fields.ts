/** Tagged unions (sections/tagged-union.ts) in JSON Schema: a value's member, and its keys. */

import { didYouMean, valueAt } from "./core/problems";
import type { FieldSchema } from "./field-text";
import { foreignMember } from "./foreign-members";

/** Members by tag, in schema order. */
export interface UnionField {
  /** Tag key. */
  readonly tag: string;
  readonly members: ReadonlyMap<string, FieldSchema>;
  /** Default member; undefined where the tag is required. */
  readonly byDefault: string | undefined;
  /** Unsupported values that people know, and what to do instead. */
  readonly notTaken: Readonly<Record<string, string>>;
}

/** Undefined for other fields. */
export function unionOf(field: FieldSchema): UnionField | undefined {
  if (field.discriminator === undefined) {
    return undefined;
  }
  const { propertyName: tag, notTaken = {} } = field.discriminator;
  const members = new Map((field.oneOf ?? []).map((member) => [String(member.properties?.[tag]?.const), member]));
  const [byDefault] = [...members.keys()].filter((name) => members.get(name)?.properties?.[tag]?.default !== undefined);
  return { tag, members, byDefault, notTaken };
}

/** By the value's tag, or the default; undefined for a missing or unknown tag. */
export function namedMember({ tag, members, byDefault }: UnionField, value: unknown): string | undefined {
  const name = valueAt(value, [tag]);
  return name === undefined ? byDefault : [...members.keys()].find((member) => member === name);
}

/** The member that is named, that a word of another project means, or that a slip in the tag comes near to. */
export function meantMember(union: UnionField, value: unknown): string | undefined {
  const named = namedMember(union, value);
  const name = valueAt(value, [union.tag]);
  if (named !== undefined || typeof name !== "string") {
    return named;
  }
  const foreign = foreignMember(union.tag, name);
  return foreign !== undefined && union.members.has(foreign) ? foreign : didYouMean(name, [...union.members.keys()]);
}

/** The member's keys, or all members' where unclear. */
export function shapeOf(field: FieldSchema, value: unknown): FieldSchema {
  const union = unionOf(field);
  if (union === undefined) {
    return { ...field, ...longForm(field) };
  }
  const { oneOf, discriminator, ...rest } = field;
  const meant = meantMember(union, value);
  const members = [...union.members].flatMap(([name, member]) => (meant === undefined || name === meant ? member : []));
  const properties = Object.assign({}, ...members.map((member) => member.properties)) as FieldSchema["properties"];
  return { ...rest, type: "object", properties: { ...properties, [union.tag]: tagField(union) } };
}

/** The mapping among a field's types; others are shorthands. */
function longForm({ anyOf = [] }: FieldSchema): Pick<FieldSchema, "properties"> {
  const properties = anyOf.find((member) => member.properties !== undefined)?.properties;
  return properties === undefined ? {} : { properties };
}

/** The tag as a field with all its values. */
export function tagField({ members, byDefault, notTaken }: UnionField): FieldSchema {
  const description = [...members]
    .flatMap(([name, member]) => (member.description === undefined ? [] : `\`${name}\`: ${member.description}`))
    .join(" ");
  return {
    type: "string",
    description,
    enum: [...members.keys()],
    notTaken,
    ...(byDefault !== undefined && { default: byDefault }),
  };
}
