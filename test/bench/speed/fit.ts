/**
 * Fits the constants of the speed model to measured rows: robust least squares on the logarithm of predicted over measured,
 * each constant drawn to what was known before and kept within its physical bounds. No chance is involved: the same rows give the
 * same constants.
 */
import {
  type Coefficients,
  type ConstantKeys,
  type ConstantRow,
  ConstantTable,
} from "../../../planner/speed/constants";
import { predict, questionOf } from "./predict";
import type { Resolved } from "./resolve";

/** Rounds of Gauss-Newton; later ones change predictions by less than a percent. */
const ROUNDS = 8;
/** Rounds that measure slopes anew: after them constants move too little to bend them. */
const ROUNDS_OF_SLOPES = 3;
/** Relative error that one row is believed to have. */
const SCATTER = 0.15;
/** Degrees of freedom of the errors' distribution (Student's): few, for measurements of one deployment contradict each other. */
const FREEDOM = 3;
/** Change of a constant's logarithm with which slopes are measured. */
const NUDGE = 0.02;

interface Row {
  readonly resolved: Resolved;
  /** Which of the different keys it has. */
  readonly kind: number;
  readonly logMeasured: number;
  readonly weight: number;
}

/** @returns the rows with fitted values */
export function fitConstants(resolved: readonly Resolved[], start: readonly ConstantRow[]): readonly ConstantRow[] {
  const rows = weighted(resolved);
  const free = start.flatMap(({ spread }, index) => (spread > 0 ? [index] : []));
  let values = start.map(({ prior }) => prior);
  let slopes: Slopes = [];
  for (let round = 0; round < ROUNDS; round++) {
    slopes = round < ROUNDS_OF_SLOPES ? slopesOf(rows, start, values, free) : slopes;
    values = improved(rows, start, values, free, slopes, round === 0 ? 0.5 : 1);
  }
  return start.map((row, index) => ({ ...row, value: round4(values[index] ?? row.prior) }));
}

/** Of each row's error over the logarithm of each free constant. */
type Slopes = readonly (readonly number[])[];

function slopesOf(
  rows: readonly Row[],
  start: readonly ConstantRow[],
  values: readonly number[],
  free: readonly number[],
): Slopes {
  const table = tableOf(start, values);
  const base = rows.map((row) => errorOf(row, table));
  const kinds = kindsOf(rows);
  return free.map((index) => {
    const nudged = tableOf(
      start,
      values.map((value, at) => (at === index ? value * Math.exp(-NUDGE) : value)),
    );
    // Most rows are of another card or engine: nothing of theirs changes.
    const isTouched = kinds.map((keys) => !isSame(table.resolve(keys), nudged.resolve(keys)));
    return rows.map((row, at) => (isTouched[row.kind] ? ((base[at] ?? 0) - errorOf(row, nudged)) / NUDGE : 0));
  });
}

function improved(
  rows: readonly Row[],
  start: readonly ConstantRow[],
  values: readonly number[],
  free: readonly number[],
  slopes: Slopes,
  step: number,
): number[] {
  const table = tableOf(start, values);
  const base = rows.map((row) => errorOf(row, table));
  // Rows far off pull less the farther they are: something happened there that the model does not have.
  const weights = rows.map(
    ({ weight }, row) => weight / (1 + ((base[row] ?? 0) / SCATTER) ** 2 / FREEDOM) / SCATTER ** 2,
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

/** Each of the different keys once, at the place that its rows name. */
function kindsOf(rows: readonly Row[]): readonly ConstantKeys[] {
  const kinds: ConstantKeys[] = [];
  for (const { kind, resolved } of rows) {
    kinds[kind] = resolved.keys;
  }
  return kinds;
}

function errorOf({ resolved, logMeasured }: Row, table: ConstantTable): number {
  const predicted = predict(resolved, table);
  return predicted === undefined || !Number.isFinite(predicted) || predicted <= 0
    ? 0
    : Math.log(predicted) - logMeasured;
}

function isSame(some: Coefficients, others: Coefficients): boolean {
  return (Object.keys(some) as (keyof Coefficients)[]).every((name) => some[name] === others[name]);
}

/** Runs of one deployment repeat each other: together they weigh as the square root of their number. */
function weighted(resolved: readonly Resolved[]): readonly Row[] {
  const groups = new Map<string, number>();
  const groupOf = ({ row }: Resolved) => [row.source, row.engine, row.model, row.quantization, row.gpu].join(" ");
  const kinds = new Map<string, number>();
  const kindOf = ({ keys }: Resolved): number => {
    const name = JSON.stringify(keys);
    kinds.set(name, kinds.get(name) ?? kinds.size);
    return kinds.get(name) ?? 0;
  };
  for (const each of resolved) {
    groups.set(groupOf(each), (groups.get(groupOf(each)) ?? 0) + 1);
  }
  return resolved.flatMap((each) =>
    each.row.value === undefined
      ? []
      : [
          {
            resolved: each,
            kind: kindOf(each),
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
      // At the limit waits say how near it was, and nothing else.
      return each.row.source === "mlperf" ? 0 : 0.2 * old;
    case "firstToken":
      // One machine's: they say what a request waits for, and leave steps and prompts to the others.
      return 0.2;
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
