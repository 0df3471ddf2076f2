import { createHash } from "node:crypto";
import { type RandomSource, randomFrom } from "../../planner/speed/random";
import type { Mutant } from "./mutant";

/** Each room has this many mutants at least, or all that it can have. */
const LEAST = 3;

/**
 * How many mutants each room gets: by its lines of code, small rooms `LEAST`. Where `LEAST` is too many for each room: by
 * lines alone.
 */
export function quotas(lines: ReadonlyMap<string, number>, count: number): Map<string, number> {
  const least = count >= LEAST * lines.size ? LEAST : 0;
  const small = new Set<string>();
  for (;;) {
    const large = [...lines].filter(([room]) => !small.has(room));
    const open = count - least * small.size;
    const total = large.reduce((sum, [, of]) => sum + of, 0);
    const exact = large.map(([room, of]) => ({ room, exact: (open * of) / total }));
    const below = exact.filter(({ exact }) => exact < least);
    if (below.length === 0) {
      const shared = rounded(exact, open);
      return new Map([...lines.keys()].map((room) => [room, shared.get(room) ?? least]));
    }
    for (const { room } of below) {
      small.add(room);
    }
  }
}

/** Whole numbers of the given sum: what is left after rounding down goes to the largest fractions, of equals to the first. */
function rounded(exact: readonly { readonly room: string; readonly exact: number }[], sum: number) {
  const left = sum - exact.reduce((total, { exact }) => total + Math.floor(exact), 0);
  const byFraction = [...exact].sort((a, b) => (b.exact % 1) - (a.exact % 1));
  return new Map(byFraction.map(({ room, exact }, i) => [room, Math.floor(exact) + (i < left ? 1 : 0)]));
}

/**
 * All mutants of a room in the order of a draw: first an operator, each as likely as any other, then one of its mutants. A room
 * has its own numbers: what is drawn in one does not depend on others.
 */
export function* drawn(mutants: readonly Mutant[], seed: number, room: string): Generator<Mutant> {
  const random = randomFrom(createHash("sha256").update(`${seed} ${room}`).digest().readUInt32LE(0));
  const groups = new Map<string, Mutant[]>();
  for (const mutant of mutants) {
    groups.set(mutant.operator, [...(groups.get(mutant.operator) ?? []), mutant]);
  }
  const operators = [...groups.keys()].sort();
  while (operators.length > 0) {
    const at = below(operators.length, random);
    const group = groups.get(operators[at] ?? "") ?? [];
    const [mutant] = group.splice(below(group.length, random), 1);
    if (group.length === 0) {
      operators.splice(at, 1);
    }
    if (mutant) {
      yield mutant;
    }
  }
}

function below(limit: number, random: RandomSource): number {
  return Math.floor(random.next() * limit);
}
