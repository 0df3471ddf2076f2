/** Unknown keys: misspelt, of another union member, or on the wrong level. */

import { meantNames } from "./core/near-names";
import { didYouMean, type Path, type ProblemDraft, suggest, valueAt } from "./core/problems";
import { type FieldSchema, fieldAt, keysOf, printable } from "./field-text";
import { foreignKey } from "./foreign-words";
import { meantMember, shapeOf, unionOf } from "./union-fields";

/** Keys of one mapping are reported together. */
interface Told {
  readonly keys: readonly string[];
  readonly allowed?: string | undefined;
  readonly fix: string;
}

/** @param unknown keys that the mapping at `parent` lacks. */
export function unknownKeys(parent: Path, unknown: readonly string[], values: unknown): ProblemDraft[] {
  const mapping = valueAt(values, parent);
  const field = fieldAt(parent, values);
  const keys = keysOf(field, mapping);
  const inside = below(field, unknown, mapping);
  const others = unknown.filter((key) => !inside.some((place) => place.keys.includes(key)));
  const foreign = others.flatMap((key): Told[] => {
    const meaning = foreignKey(parent, key, values);
    return meaning === undefined ? [] : [{ keys: [key], allowed: meaning.why, fix: meaning.fix }];
  });
  const misplaced = [...inside, ...foreign, ...elsewhere(field, others, mapping)];
  const placeOf = (key: string) => misplaced.find((each) => each.keys.includes(key));
  const told = unknown.flatMap((key): Told[] => {
    const place = placeOf(key);
    if (place !== undefined) {
      // Mappings share keys: a place is reported at its first key.
      return place.keys.find((each) => placeOf(each) === place) === key ? [place] : [];
    }
    const slip = meantNames(key, keys).length === 0 ? slipBelow(field, key, mapping) : undefined;
    const fix = above(parent, key, values) ?? slip ?? suggest(key, keys, "remove it: nothing reads it");
    return [{ keys: [key], fix }];
  });
  // Shows keys, never values: a misspelt secret is still a secret.
  return told.map(({ keys: wrong, allowed = `the keys ${keys.join(", ")}`, fix }) => ({
    path: [...parent, wrong[0] ?? ""],
    value: wrong.length === 1 ? wrong[0] : wrong,
    allowed,
    fix,
  }));
}

/** Keys of a nested mapping: `kvCacheDtype: fp8` into `vllm: {kvCacheDtype: fp8}`. */
function below(field: FieldSchema | undefined, unknown: readonly string[], mapping: unknown): Told[] {
  const shape = field && shapeOf(field, mapping);
  return placesBelow(shape, unknown, mapping).map(({ name, keys }) => {
    const written = blockText(name, keys, shape, mapping);
    const isThere = valueAt(mapping, [name]) !== undefined;
    const them = keys.length === 1 ? "its" : "their";
    return {
      keys,
      allowed: `only inside ${name}`,
      fix: isThere ? `add to ${written}, and remove ${keys.join(", ")} here` : `write ${written} in ${them} place`,
    };
  });
}

/** Keys of other union members or their mappings. */
function elsewhere(field: FieldSchema | undefined, unknown: readonly string[], mapping: unknown): Told[] {
  const union = field && unionOf(field);
  if (union === undefined) {
    return [];
  }
  const own = meantMember(union, mapping);
  const groups = new Map<
    string,
    { readonly keys: readonly string[]; readonly written: string; readonly owners: string[] }
  >();
  const add = (owner: string, keys: readonly string[], written: string) => {
    const id = JSON.stringify([keys, written]);
    groups.set(id, { keys, written, owners: [...(groups.get(id)?.owners ?? []), owner] });
  };
  for (const [member, shape] of [...union.members].filter(([name]) => name !== own)) {
    const direct = unknown.filter((key) => Object.hasOwn(shape.properties ?? {}, key));
    for (const key of direct) {
      add(member, [key], "");
    }
    for (const { name, keys } of placesBelow(shape, unknown, mapping)) {
      add(member, keys, `, as ${blockText(name, keys, shape, mapping)}`);
    }
  }
  return [...groups.values()].map(({ keys, written, owners }) => {
    const change = owners.length > 1 ? `change ${union.tag}` : `write ${union.tag}: ${owners[0]}`;
    return {
      keys,
      allowed: `only with ${union.tag} ${owners.join(", ")}${written}`,
      fix: `remove ${keys.join(", ")}, or ${change}`,
    };
  });
}

/** A key one level too deep. Sections have no mapping above. */
function above(parent: Path, key: string, values: unknown): string | undefined {
  const outer = parent.slice(0, -1);
  const isThere = outer.length > 0 && keysOf(fieldAt(outer, values), valueAt(values, outer)).includes(key);
  return isThere ? `write it next to ${parent[parent.length - 1]}, not in it` : undefined;
}

/** A misspelt key of a nested mapping: `tensorParalel: 2` for `vllm: {tensorParallel: 2}`. */
function slipBelow(field: FieldSchema | undefined, key: string, mapping: unknown): string | undefined {
  const { properties = {} } = field ? shapeOf(field, mapping) : {};
  for (const [name, child] of Object.entries(properties)) {
    const meant = didYouMean(key, keysOf(child, valueAt(mapping, [name])));
    if (meant !== undefined) {
      return `did you mean ${JSON.stringify(meant)} inside ${name}?`;
    }
  }
  return undefined;
}

/** Nested mappings with some of the keys; each key once. */
function placesBelow(shape: FieldSchema | undefined, unknown: readonly string[], mapping: unknown) {
  const placed = new Set<string>();
  return Object.entries(shape?.properties ?? {}).flatMap(([name, child]) => {
    const inner = keysOf(child, valueAt(mapping, [name]));
    const keys = unknown.filter((key) => inner.includes(key) && !placed.has(key));
    keys.forEach((key) => {
      placed.add(key);
    });
    return keys.length === 0 ? [] : [{ name, keys }];
  });
}

/** `vllm: {tensorParallel: 2, kvCacheDtype: fp8}`. */
function blockText(name: string, keys: readonly string[], shape: FieldSchema | undefined, mapping: unknown): string {
  const child = shape?.properties?.[name];
  const { properties = {} } = child ? shapeOf(child, valueAt(mapping, [name])) : {};
  return `${name}: {${keys.map((key) => `${key}: ${printable(properties[key], valueAt(mapping, [key]))}`).join(", ")}}`;
}
