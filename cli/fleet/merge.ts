/** How a node's values override inherited ones. Pure. */
import type { Path } from "../../stacks/config/core/problems";

export type Values = Readonly<Record<string, unknown>>;

/**
 * Merges mappings by key at every depth; other values (also lists) replace. `null` removes. Keys
 * keep their order, new ones follow.
 */
export function merged(below: Values, above: Values): Values {
  const keys = [...new Set([...Object.keys(below), ...Object.keys(above)])];
  return Object.fromEntries(
    keys.flatMap((key) => {
      if (!Object.hasOwn(above, key)) {
        return [[key, below[key]] as const];
      }
      const over = above[key];
      if (over === null) {
        return [];
      }
      const under = Object.hasOwn(below, key) ? below[key] : undefined;
      return [[key, isMapping(over) ? merged(isMapping(under) ? under : {}, over) : over] as const];
    }),
  );
}

/** A `null` that removes nothing: likely a wrong key. */
export function idleNulls(below: Values, above: Values, path: Path = []): Path[] {
  return Object.entries(above).flatMap(([key, over]) => {
    const at = [...path, key];
    const under = Object.hasOwn(below, key) ? below[key] : undefined;
    if (over === null) {
      return under === undefined ? [at] : [];
    }
    return isMapping(over) ? idleNulls(isMapping(under) ? under : {}, over, at) : [];
  });
}

export function isMapping(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
