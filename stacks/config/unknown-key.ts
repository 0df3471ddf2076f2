/** A key that its mapping does not have: misspelt, of another member of a union, or standing a level too high or too low. */
import { type FieldSchema, fieldAt, keysOf } from "./field-text";
import { type Path, type ProblemDraft, suggest, valueAt } from "./problems";
import { meantMember, shapeOf, unionOf } from "./union-fields";

export function unknownKey(parent: Path, key: string, values: unknown): ProblemDraft {
  const mapping = valueAt(values, parent);
  const field = fieldAt(parent, values);
  const keys = keysOf(field, mapping);
  const told =
    below(field && shapeOf(field, mapping), key, mapping) ??
    elsewhere(field, key, mapping) ??
    above(parent, key, values);
  // The key itself is shown, never what stands under it: a misspelt secret is still a secret.
  return {
    path: [...parent, key],
    value: key,
    allowed: `the keys ${keys.join(", ")}`,
    fix: suggest(key, keys, "remove it: nothing reads it"),
    ...told,
  };
}

type Told = Partial<Pick<ProblemDraft, "allowed" | "fix">>;

/** It belongs into a mapping of this mapping: `kvCacheDtype: fp8` into `vllm: {kvCacheDtype: fp8}`. */
function below(shape: FieldSchema | undefined, key: string, mapping: unknown): Told | undefined {
  const place = shape && placeBelow(shape, key, mapping);
  return place === undefined ? undefined : { fix: `write it as ${place}` };
}

/** Another member of the union has it, or has a mapping that does. */
function elsewhere(field: FieldSchema | undefined, key: string, mapping: unknown): Told | undefined {
  const union = field && unionOf(field);
  if (union === undefined) {
    return undefined;
  }
  const own = meantMember(union, mapping);
  const others = [...union.members].flatMap(([name, member]) => {
    const place = Object.hasOwn(member.properties ?? {}, key) ? key : placeBelow(member, key, mapping);
    return name === own || place === undefined ? [] : [{ name, place }];
  });
  const [first, ...further] = others;
  if (first === undefined) {
    return undefined;
  }
  const written = first.place === key ? "" : `, as ${first.place}`;
  const change = further.length > 0 ? `change ${union.tag}` : `write ${union.tag}: ${first.name}`;
  return {
    allowed: `only with ${union.tag} ${others.map(({ name }) => name).join(", ")}${written}`,
    fix: `remove ${key}, or ${change}`,
  };
}

/** It belongs beside the mapping that it stands in. Sections themselves have no mapping above them. */
function above(parent: Path, key: string, values: unknown): Told | undefined {
  const outer = parent.slice(0, -1);
  const isThere = outer.length > 0 && keysOf(fieldAt(outer, values), valueAt(values, outer)).includes(key);
  return isThere ? { fix: `write it beside ${parent[parent.length - 1]}, not in it` } : undefined;
}

/** `vllm: {kvCacheDtype: fp8}` where a mapping of this mapping has the key. */
function placeBelow({ properties = {} }: FieldSchema, key: string, mapping: unknown): string | undefined {
  for (const [name, child] of Object.entries(properties)) {
    const { properties: inner = {} } = shapeOf(child, valueAt(mapping, [name]));
    const field = Object.hasOwn(inner, key) ? inner[key] : undefined;
    if (field !== undefined) {
      return `${name}: {${key}: ${printable(field, valueAt(mapping, [key]))}}`;
    }
  }
  return undefined;
}

/** The value where it is one of the schema's own words, or can hold no secret. */
function printable({ enum: words = [] }: FieldSchema, value: unknown): string {
  const isPlain = typeof value === "number" || typeof value === "boolean" || words.includes(value);
  return isPlain ? String(value) : "…";
}
