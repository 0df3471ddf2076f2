/** Own measurements scale the formulas: same curve, measured heights. Pure. */
import { closedLoop, cycleOf } from "./load";
import type { MeasuredLoad } from "./measurement";
import { prefillMs, promptWorkMs } from "./prefill";
import type { ReplicaSetup, RequestShape, SpeedFactors } from "./types";

/**
 * Least squared relative error that a further constant must remove: measurements differ by three
 * per cent.
 */
const WORTH_A_CONSTANT = 1e-3;

/** Allowed prompt factor: cards without known figures are further off. */
const MOST_FACTOR = 1e4;

/** Least share of the step in the time per token, and of the prompt in the time to first token. */
const LEAST_SHARE = 0.1;

/** Largest share of the time to first token that is not the prompt's. */
const MOST_BESIDE_PROMPT = 0.5;

const AS_PREDICTED: SpeedFactors = { step: 1, addedMs: 0, addedPerSequenceMs: 0, prompt: 1 };

/**
 * Step time is scale × predicted + fixed + per sequence × sequences, none negative, with as few
 * terms as the loads need; prompts have one scale, from the load with fewest requests in flight.
 *
 * @param setup prediction without a measurement.
 * @param loads of one measurement, at least one.
 */
export function calibrate(setup: ReplicaSetup, loads: readonly MeasuredLoad[]): SpeedFactors {
  const [lightest] = [...loads].sort((a, b) => a.inFlight - b.inFlight);
  if (lightest === undefined) {
    return AS_PREDICTED;
  }
  // Alternates, because prompts are read between steps.
  let factors = AS_PREDICTED;
  for (let round = 0; round < 12; round += 1) {
    factors = { ...factors, prompt: promptFactor({ ...setup, calibration: factors }, lightest) };
    factors = { ...factors, ...stepFactors({ ...setup, calibration: factors }, loads) };
  }
  return factors;
}

/** Bisection: longer prompts delay the first token. */
function promptFactor(setup: ReplicaSetup, load: MeasuredLoad): number {
  const shape = shapeOf(load);
  const prefix = Math.min(shape.sharedPrefixTokens, shape.inputTokens);
  const tokens = shape.inputTokens - prefix;
  const withPrompt = (prompt: number): ReplicaSetup => ({
    ...setup,
    calibration: { ...AS_PREDICTED, ...setup.calibration, prompt },
  });
  const predictedMs = promptWorkMs(withPrompt(1), tokens, prefix);
  if (predictedMs === 0) {
    return AS_PREDICTED.prompt;
  }
  // Part of any measured time is the prompt's.
  const besideMs = Math.min(setup.coefficients.requestMs, MOST_BESIDE_PROMPT * load.ttftMs.median);
  const firstMs = (prompt: number): number => {
    const tried = withPrompt(prompt);
    // A single request waits for no other prompt.
    return load.inFlight === 1
      ? prefillMs(tried, tokens, prefix) + besideMs
      : closedLoop(tried, shape, load.inFlight).ttftMs;
  };
  let [low, high] = [1 / MOST_FACTOR, MOST_FACTOR];
  for (let i = 0; i < 50; i += 1) {
    const middle = Math.sqrt(low * high);
    if (firstMs(middle) < load.ttftMs.median) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return Math.max(Math.sqrt(low * high), leastPromptMs(withPrompt(1 / MOST_FACTOR), shape, load) / predictedMs);
}

/**
 * Lower bound of a prompt's time: where other waits exceed the measured first token, prompts would
 * cost nothing. Waits for cache room do not count.
 * @param free with prompts that take no time
 */
function leastPromptMs(free: ReplicaSetup, shape: RequestShape, { inFlight, ttftMs }: MeasuredLoad): number {
  const { sequences } = closedLoop(free, shape, inFlight);
  return LEAST_SHARE * Math.min(ttftMs.median, closedLoop(free, shape, sequences).ttftMs);
}

/** One load: predicted step, running sequences, measured step. */
interface Point {
  readonly predictedMs: number;
  readonly sequences: number;
  readonly measuredMs: number;
}

type StepFactors = Pick<SpeedFactors, "step" | "addedMs" | "addedPerSequenceMs">;

function stepFactors(setup: ReplicaSetup, loads: readonly MeasuredLoad[]): StepFactors {
  const points = loads.flatMap((load) => pointOf(setup, load) ?? []);
  if (points.length === 0) {
    return { step: 1, addedMs: 0, addedPerSequenceMs: 0 };
  }
  const fits = SUBSETS.filter((columns) => columns.length <= points.length).flatMap((columns) => {
    const values = leastSquares(points, columns);
    return values === undefined ? [] : [{ columns, values, error: errorOf(points, columns, values) }];
  });
  const costOf = (fit: (typeof fits)[number]) => fit.error + WORTH_A_CONSTANT * fit.columns.length;
  const [best] = fits.sort((a, b) => costOf(a) - costOf(b));
  const fitted = (column: Column) => best?.values[best.columns.indexOf(column)] ?? 0;
  return { step: fitted("step"), addedMs: fitted("addedMs"), addedPerSequenceMs: fitted("addedPerSequenceMs") };
}

/** Undefined without a measured time per token. */
function pointOf(setup: ReplicaSetup, load: MeasuredLoad): Point | undefined {
  const { tpotMs } = load;
  if (tpotMs === undefined) {
    return undefined;
  }
  const shape = shapeOf(load);
  const bare: ReplicaSetup = { ...setup, calibration: { ...AS_PREDICTED, prompt: setup.calibration?.prompt ?? 1 } };
  const { sequences } = closedLoop(bare, shape, load.inFlight);
  const { step, stepMs: decodeMs, tpotMs: predictedMs } = cycleOf(bare, shape, sequences);
  // Time of other prompts is not the step's, but part of the measurement is.
  const decodedMs = Math.max(tpotMs.median - (predictedMs - decodeMs), LEAST_SHARE * tpotMs.median);
  return {
    predictedMs: step.totalMs,
    sequences: Math.max(1, sequences / setup.pipelineParallel),
    // Waits between pipeline stages stay with the formulas.
    measuredMs: (decodedMs * step.totalMs) / decodeMs,
  };
}

function shapeOf({ inputTokens, outputTokens, sharedPrefixTokens }: MeasuredLoad): RequestShape {
  return { inputTokens, outputTokens, sharedPrefixTokens, lengthVariation: 0 };
}

const COLUMNS = {
  step: ({ predictedMs }: Point) => predictedMs,
  addedMs: () => 1,
  addedPerSequenceMs: ({ sequences }: Point) => sequences,
} as const;
type Column = keyof typeof COLUMNS;

const SUBSETS: readonly (readonly Column[])[] = [
  ["step"],
  ["addedMs"],
  ["addedPerSequenceMs"],
  ["step", "addedMs"],
  ["step", "addedPerSequenceMs"],
  ["addedMs", "addedPerSequenceMs"],
  ["step", "addedMs", "addedPerSequenceMs"],
];

/** Least squares of relative errors; undefined for negative or undetermined values. */
function leastSquares(points: readonly Point[], columns: readonly Column[]): readonly number[] | undefined {
  const rows = points.map((point) => columns.map((column) => COLUMNS[column](point) / point.measuredMs));
  const size = columns.length;
  const matrix = Array.from({ length: size }, (_, i) => [
    ...Array.from({ length: size }, (__, j) => sum(rows.map((row) => (row[i] ?? 0) * (row[j] ?? 0)))),
    sum(rows.map((row) => row[i] ?? 0)),
  ]);
  const values = solved(matrix);
  return values?.every((value) => value >= 0) ? values : undefined;
}

function errorOf(points: readonly Point[], columns: readonly Column[], values: readonly number[]): number {
  const errors = points.map((point) => {
    const made = sum(columns.map((column, index) => (values[index] ?? 0) * COLUMNS[column](point)));
    return (made / point.measuredMs - 1) ** 2;
  });
  return sum(errors) / points.length;
}

/**
 * Gaussian elimination with pivots. @param matrix n rows of n coefficients and the right side; is
 * changed.
 */
function solved(matrix: number[][]): readonly number[] | undefined {
  const size = matrix.length;
  for (let column = 0; column < size; column += 1) {
    const rest = matrix.slice(column);
    const pivot = rest.reduce((best, row) => (Math.abs(row[column] ?? 0) > Math.abs(best[column] ?? 0) ? row : best));
    const scale = pivot[column] ?? 0;
    if (Math.abs(scale) < 1e-12) {
      return undefined;
    }
    const place = matrix.indexOf(pivot);
    [matrix[column], matrix[place]] = [pivot, matrix[column] ?? pivot];
    for (const row of matrix) {
      if (row !== pivot) {
        const factor = (row[column] ?? 0) / scale;
        for (let i = column; i <= size; i += 1) {
          row[i] = (row[i] ?? 0) - factor * (pivot[i] ?? 0);
        }
      }
    }
  }
  return matrix.map((row, index) => (row[size] ?? 0) / (row[index] ?? 1));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
