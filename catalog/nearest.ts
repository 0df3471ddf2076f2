import { closest } from "fastest-levenshtein";

/**
 * The candidate with the smallest edit distance to `name`, for "did you mean" hints. Undefined when there are none.
 * On a tie the first candidate wins.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const known = [...candidates];
  return known.length === 0 ? undefined : closest(name, known);
}

/** An Error for a name that a catalogue table does not hold, with the nearest one that it does. */
export function unknownName(kind: string, name: string, known: readonly string[], file: string): Error {
  const hint = nearest(name, known);
  return new Error(`unknown ${kind} "${name}": did you mean "${hint}"? Known ones are in ${file}`);
}
