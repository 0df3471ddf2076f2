/**
 * The candidate with the smallest edit distance to `name`, for "did you mean" hints. Undefined when there are none.
 * On a tie the first candidate wins.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    // The length difference is a lower bound of the distance: skips most of a long list.
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** An Error for a name that a catalogue table does not hold, with the nearest one that it does. */
export function unknownName(kind: string, name: string, known: readonly string[], file: string): Error {
  const hint = nearest(name, known);
  return new Error(`unknown ${kind} "${name}": did you mean "${hint}"? Known ones are in ${file}`);
}

/** Levenshtein distance: insertions, deletions and substitutions each cost 1. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    previous = current;
  }
  return at(previous, b.length);
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? Number.POSITIVE_INFINITY;
}
