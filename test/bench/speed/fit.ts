/**
 * Fits the constants of the speed model to measured rows: robust least squares on the logarithm of predicted over measured,
 * each constant drawn to what was known before and kept within its physical bounds. No chance is involved: the same rows give the
 * same constants.
 */
import { type ConstantRow, ConstantTable } from "../../../planner/speed/constants";
import { predict, questionOf } from "./predict";
import type { Resolved } from "./resolve";

/** Rounds of Gauss-Newton; later ones change predictions by less than a percent. */
const ROUNDS = 8;
/** Relative error that one row is believed to have: outliers beyond pull no harder. */
const SCATTER = 0.15;
/** Change of a constant's logarithm with which slopes are measured. */
const NUDGE = 0.02;

interface Row {
  readonly resolved: Resolved;
  readonly logMeasured: number;
  readonly weight: number;
}

/** @returns the rows with fitted values */
export function fitConstants(resolved: readonly Resolved[], start: readonly ConstantRow[]): readonly ConstantRow[] {
  const rows = weighted(resolved);
  const free = start.flatMap(({ spread }, index) => (spread > 0 ? [index] : []));
  let values = start.map(({ prior }) => prior);
  for (let round = 0; round < ROUNDS; round++) {
    values = improved(rows, start, values, free, round === 0 ? 0.5 : 1);
  }
  return start.map((row, index) => ({ ...row, value: round4(values[index] ?? row.prior) }));
}

function improved(
  rows: readonly Row[],
  start: readonly ConstantRow[],
  values: readonly number[],
  free: readonly number[],
  step: number,
): number[] {
  const base = errors(rows, tableOf(start, values));
  const slopes = free.map((index) => {
    const nudged = values.map((value, at) => (at === index ? value * Math.exp(-NUDGE) : value));
    const changed = errors(rows, tableOf(start, nudged));
    return base.map((error, row) => (error - (changed[row] ?? error)) / NUDGE);
  });
  // Rows far off weigh as much as those at the scatter: the sum is of absolute values there.
  const weights = rows.map(
    ({ weight }, row) => weight / Math.max(1, Math.abs(base[row] ?? 0) / SCATTER) / SCATTER ** 2,
  );
  const normal = free.map((_, i) =>
    free.map((_, j) => {
      const prior = i === j ? 1 / spreadOf(start, free[i]) ** 2 : 0;
      return prior + sum(weights, (row) => (weights[row] ?? 0) * (slopes[i]?.[row] ?? 0) * (slopes[j]?.[row] ?? 0));
    }),
  );
  const right = free.map((index, i) => {
    const drawn = Math.log((start[index]?.prior ?? 1) / (values[index] ?? 1)) / spreadOf(start, index) ** 2;
    return drawn - sum(weights, (row) => (weights[row] ?? 0) * (slopes[i]?.[row] ?? 0) * (base[row] ?? 0));
  });
  const changes = solve(normal, right);
  return values.map((value, index) => {
    const change = changes[free.indexOf(index)] ?? 0;
    const { least = 0, most = value } = start[index] ?? {};
    return free.includes(index)
      ? Math.min(most, Math.max(least, value * Math.exp(step * Math.max(-0.4, Math.min(0.4, change)))))
      : value;
  });
}

function tableOf(start: readonly ConstantRow[], values: readonly number[]): ConstantTable {
  return new ConstantTable(start.map((row, index) => ({ ...row, value: values[index] ?? row.value })));
}

function errors(rows: readonly Row[], table: ConstantTable): number[] {
  return rows.map(({ resolved, logMeasured }) => {
    const predicted = predict(resolved, table);
    return predicted === undefined || !Number.isFinite(predicted) || predicted <= 0
      ? 0
      : Math.log(predicted) - logMeasured;
  });
}

/** Runs of one deployment repeat each other: together they weigh as the square root of their number. */
function weighted(resolved: readonly Resolved[]): readonly Row[] {
  const groups = new Map<string, number>();
  const groupOf = ({ row }: Resolved) => [row.source, row.engine, row.model, row.quantization, row.gpu].join(" ");
  for (const each of resolved) {
    groups.set(groupOf(each), (groups.get(groupOf(each)) ?? 0) + 1);
  }
  return resolved.flatMap((each) =>
    each.row.value === undefined
      ? []
      : [
          {
            resolved: each,
            logMeasured: Math.log(each.row.value),
            weight: trustOf(each) / Math.sqrt(groups.get(groupOf(each)) ?? 1),
          },
        ],
  );
}

/** What a client waits for its first token says little of the engine; engines of 2023 say little of today's. */
function trustOf(each: Resolved): number {
  const old = /^2023|^0\.[0-4](\.|$)/.test(each.row.engineVersion) && each.row.engine === "vllm" ? 0.5 : 1;
  switch (questionOf(each)) {
    case undefined:
      return 0;
    case "ttft":
      return 0.2 * old;
    case "requestsAtLevel":
      return 1.5 * old;
    default:
      return old;
  }
}

function spreadOf(start: readonly ConstantRow[], index: number | undefined): number {
  return start[index ?? -1]?.spread ?? 1;
}

function sum(rows: readonly unknown[], value: (row: number) => number): number {
  let total = 0;
  for (let row = 0; row < rows.length; row++) {
    total += value(row);
  }
  return total;
}

/** Gaussian elimination with the largest pivot; the matrix is symmetric and positive, for every constant has a prior. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const size = right.length;
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
  for (let column = 0; column < size; column++) {
    const pivot = rows.reduce(
      (best, row, at) => (at >= column && Math.abs(row[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0) ? at : best),
      column,
    );
    [rows[column], rows[pivot]] = [rows[pivot] ?? [], rows[column] ?? []];
    for (let at = column + 1; at < size; at++) {
      const factor = (rows[at]?.[column] ?? 0) / (rows[column]?.[column] || 1);
      if (factor !== 0) {
        rows[at] = (rows[at] ?? []).map((value, index) => value - factor * (rows[column]?.[index] ?? 0));
      }
    }
  }
  const solution = new Array<number>(size).fill(0);
  for (let column = size - 1; column >= 0; column--) {
    const known = solution.reduce(
      (total, value, index) => total + (index > column ? value * (rows[column]?.[index] ?? 0) : 0),
      0,
    );
    solution[column] = ((rows[column]?.[size] ?? 0) - known) / (rows[column]?.[column] || 1);
  }
  return solution;
}

function round4(value: number): number {
  return Number(value.toPrecision(4));
}
