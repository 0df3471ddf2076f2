/** Tagged unions (sections/tagged-union.ts) as JSON Schema has them: which member a value is, and the keys that it may have. */

import { didYouMean, valueAt } from "./core/problems";
import type { FieldSchema } from "./field-text";
import { foreignMember } from "./foreign-members";

/** The members of a union by their tags' values, in the order of the schema. */
export interface UnionField {
  /** Key that tells the members apart. */
  readonly tag: string;
  readonly members: ReadonlyMap<string, FieldSchema>;
  /** What is meant where the tag is left out; undefined where it is required. */
  readonly byDefault: string | undefined;
  /** Values of the tag that people know and write, and what to do instead. */
  readonly notTaken: Readonly<Record<string, string>>;
}

/** Undefined for every other field. */
export function unionOf(field: FieldSchema): UnionField | undefined {
  if (field.discriminator === undefined) {
    return undefined;
  }
  const { propertyName: tag, notTaken = {} } = field.discriminator;
  const members = new Map((field.oneOf ?? []).map((member) => [String(member.properties?.[tag]?.const), member]));
  const [byDefault] = [...members.keys()].filter((name) => members.get(name)?.properties?.[tag]?.default !== undefined);
  return { tag, members, byDefault, notTaken };
}

/** The member that the tag of a value names, or the default; undefined where the tag is missing or names none. */
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

/** A mapping as this value means it: its member's keys, or those of all members where that cannot be told. */
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

/** The mapping among the values that a field takes: the others are short for it. */
function longForm({ anyOf = [] }: FieldSchema): Pick<FieldSchema, "properties"> {
  const properties = anyOf.find((member) => member.properties !== undefined)?.properties;
  return properties === undefined ? {} : { properties };
}

/** The tag as a field that takes any of its values. */
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
