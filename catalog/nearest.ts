import { closest } from "fastest-levenshtein";

/** Smallest edit distance, for hints. The first of equals; undefined without candidates. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const known = [...candidates];
  return known.length === 0 ? undefined : closest(name, known);
}

/** Names the nearest known entry. */
export function unknownName(kind: string, name: string, known: readonly string[], file: string): Error {
  const hint = nearest(name, known);
  return new Error(`unknown ${kind} "${name}": did you mean "${hint}"? Known ones are in ${file}`);
}
