/**
 * How much rests on one laboratory, one card, one release: the fitted constants are fitted again without it, and what
 * was left out is estimated with them. The constants size three parts of the overhead; the fit scales each part.
 */
import type { OverheadParts } from "../../../planner/memory/types";
import type { Outcome, PoolOutcome } from "./outcome";

type Part = keyof OverheadParts;

const parts: readonly Part[] = ["activationGiB", "nonTorchGiB", "graphsGiB"];

/** Factor on each part; 1 as shipped. */
export type Scales = Readonly<Record<Part, number>>;

export interface Refit {
  readonly scales: Scales;
  /** Parts that too few start-ups show: they stay as shipped, whoever they were measured by. */
  readonly kept: readonly Part[];
}

/** A start-up whose log tells the pool. */
export type WithPool = Outcome & { readonly pool: PoolOutcome };

export function hasPool(outcome: Outcome): outcome is WithPool {
  return outcome.pool !== undefined;
}

/** Start-ups that must show a part of at least `visibleGiB` before it is fitted. */
const FEWEST = 5;
const visibleGiB = 0.05;

/** What a log's own figures are rounded and scattered by, GiB, and how far a scale is believed to be from 1 beforehand. */
const noiseGiB = 0.1;
const believed = 0.3;

/** Least squares on the errors of the pool, drawn towards the shipped constants where start-ups say little. */
export function refit(outcomes: readonly WithPool[]): Refit {
  const shown = parts.filter(
    (part) => outcomes.filter((outcome) => overheadOf(outcome)[part] >= visibleGiB).length >= FEWEST,
  );
  const rows = outcomes.map((outcome) => shown.map((part) => overheadOf(outcome)[part]));
  const ridge = (noiseGiB / believed) ** 2;
  const normal = shown.map((_, i) =>
    shown.map((_, j) => sumOf(rows, (row) => at(row, i) * at(row, j)) + (i === j ? ridge : 0)),
  );
  const right = shown.map((_, i) =>
    outcomes.reduce((sum, { pool }, row) => sum + at(rows[row] ?? [], i) * pool.errorGiB, 0),
  );
  const changes = solve(normal, right);
  const scaleOf = (part: Part) => 1 + at(changes, shown.indexOf(part));
  return {
    scales: {
      activationGiB: scaleOf("activationGiB"),
      nonTorchGiB: scaleOf("nonTorchGiB"),
      graphsGiB: scaleOf("graphsGiB"),
    },
    kept: parts.filter((part) => !shown.includes(part)),
  };
}

/** The pool's error with scaled parts: what they take more, the pool has less. */
export function errorWith(outcome: WithPool, { scales }: Refit): number {
  const overhead = overheadOf(outcome);
  return parts.reduce((error, part) => error - (scales[part] - 1) * overhead[part], outcome.pool.errorGiB);
}

/** Of the GPU that limits the cache. */
function overheadOf({ estimate }: Outcome): OverheadParts {
  const stage = estimate.stages.find(({ kvPoolGiB }) => kvPoolGiB === estimate.kvPoolGiB) ?? estimate.stages[0];
  return stage?.overhead ?? { activationGiB: 0, nonTorchGiB: 0, graphsGiB: 0 };
}

/** Gaussian elimination; the ridge keeps the matrix regular. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, index) => [...row, at(right, index)]);
  const size = rows.length;
  for (let pivot = 0; pivot < size; pivot += 1) {
    for (let below = pivot + 1; below < size; below += 1) {
      const factor = at(rows[below], pivot) / at(rows[pivot], pivot);
      rows[below] = (rows[below] ?? []).map((value, column) => value - factor * at(rows[pivot], column));
    }
  }
  const values: number[] = [];
  for (let row = size - 1; row >= 0; row -= 1) {
    const known = values.reduce((sum, value, index) => sum + value * at(rows[row], row + 1 + index), 0);
    values.unshift((at(rows[row], size) - known) / at(rows[row], row));
  }
  return values;
}

function sumOf(rows: readonly (readonly number[])[], of: (row: readonly number[]) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0);
}

function at(values: readonly number[] | undefined, index: number): number {
  return values?.[index] ?? 0;
}
