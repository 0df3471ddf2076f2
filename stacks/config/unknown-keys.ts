/** Keys that their mapping does not have: misspelt, of another member of a union, or standing a level too high or too low. */

import { meantNames } from "./core/near-names";
import { didYouMean, type Path, type ProblemDraft, suggest, valueAt } from "./core/problems";
import { type FieldSchema, fieldAt, keysOf, printable } from "./field-text";
import { foreignKey } from "./foreign-words";
import { meantMember, shapeOf, unionOf } from "./union-fields";

/** What is to be told of keys; those that belong into one mapping are told as one. */
interface Told {
  readonly keys: readonly string[];
  readonly allowed?: string | undefined;
  readonly fix: string;
}

/** @param unknown keys of the mapping at `parent` that it does not have. */
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
      // Mappings share keys: a place is told at the first key that has no other before it.
      return place.keys.find((each) => placeOf(each) === place) === key ? [place] : [];
    }
    const slip = meantNames(key, keys).length === 0 ? slipBelow(field, key, mapping) : undefined;
    const fix = above(parent, key, values) ?? slip ?? suggest(key, keys, "remove it: nothing reads it");
    return [{ keys: [key], fix }];
  });
  // The keys themselves are shown, never what stands under them: a misspelt secret is still a secret.
  return told.map(({ keys: wrong, allowed = `the keys ${keys.join(", ")}`, fix }) => ({
    path: [...parent, wrong[0] ?? ""],
    value: wrong.length === 1 ? wrong[0] : wrong,
    allowed,
    fix,
  }));
}

/** They belong into a mapping of this mapping: `kvCacheDtype: fp8` into `vllm: {kvCacheDtype: fp8}`. */
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

/** Other members of the union have them, or have a mapping that does. */
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

/** It belongs beside the mapping that it stands in. Sections themselves have no mapping above them. */
function above(parent: Path, key: string, values: unknown): string | undefined {
  const outer = parent.slice(0, -1);
  const isThere = outer.length > 0 && keysOf(fieldAt(outer, values), valueAt(values, outer)).includes(key);
  return isThere ? `write it beside ${parent[parent.length - 1]}, not in it` : undefined;
}

/** A slip in a key of a mapping of this mapping: `tensorParalel: 2` for `vllm: {tensorParallel: 2}`. */
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

/** Mappings of a mapping that have some of the keys; each key once. */
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
