/**
 * What the output of an all-reduce test says of the two nodes that it ran on: pure, so that recorded outputs can be judged.
 *
 * The format is that of nccl-tests 2.17 to 2.19 and of rccl-tests (src/common.cu, `BenchTime` and `run`): a row for each size
 * with thirteen columns, the last eight being time, algorithm bandwidth, bus bandwidth and wrong elements, out-of-place and then
 * in-place; below them `# Out of bounds values : <n> OK|FAILED`. mpirun may put `[1,0]<stdout>:` before each line.
 */

/** What the test was asked for, and what a pair must reach. */
export interface Expected {
  /** Bytes of the largest message: the row that the output must have, or it was cut. */
  readonly largestBytes: number;
  /** Messages from here on count, bytes: smaller ones are latency. */
  readonly smallestBytes: number;
  /** Least mean of their bus bandwidths, GB/s. */
  readonly minBusGBps: number;
}

/**
 * - `good`: right results, fast enough
 * - `slow`: right results, below the limit
 * - `wrong`: elements differ from what they should be
 * - `not-a-number`: a bandwidth is no number, so nothing was measured
 * - `cut`: the output has no end, or lacks rows
 * - `hang`: it was stopped at its deadline
 * - `failed`: the test, or the way to it, ended with an error
 */
export type VerdictKind = "good" | "slow" | "wrong" | "not-a-number" | "cut" | "hang" | "failed";

export interface Verdict {
  readonly kind: VerdictKind;
  /** One line for people, with the numbers. */
  readonly reason: string;
  /** Mean bus bandwidth of the rows that count, GB/s; undefined where it could not be read. */
  readonly busGBps?: number;
}

interface Row {
  readonly bytes: number;
  readonly bus: readonly [number, number];
  /** Elements that are wrong; NaN where the test did not look. */
  readonly wrong: readonly [number, number];
}

/** Last line of trial.sh. */
const ENDED = /^trial: ended (?<status>\d+) after (?<seconds>\d+) s(?:: (?<why>.+))?$/;
/** Exit statuses of coreutils' `timeout`: the time was up; it had to kill. */
const TIMED_OUT = ["124", "137"];

/** @param output of trial.sh, with its last line. */
export function verdictOf(output: string, { largestBytes, smallestBytes, minBusGBps }: Expected): Verdict {
  const lines = output.split("\n").map((line) => line.replace(/^\[[\d,]+\]<std(?:out|err)>:\s?/, "").trim());
  const end = lines.map((line) => ENDED.exec(line)?.groups).findLast((groups) => groups !== undefined);
  if (end && TIMED_OUT.includes(end.status ?? "")) {
    return { kind: "hang", reason: `it did not end within ${end.seconds} s and was stopped` };
  }
  const rows = lines.flatMap((line) => rowOf(line) ?? []).filter(({ bytes }) => bytes >= smallestBytes);
  const bus = rows.flatMap((row) => row.bus);
  if (bus.some((value) => !Number.isFinite(value))) {
    return { kind: "not-a-number", reason: "a bus bandwidth is no number: nothing was measured" };
  }
  const summary = lines.map((line) => /^# Out of bounds values : (?<count>\S+) (?<word>\S+)/.exec(line)?.groups);
  const bounds = summary.find((groups) => groups !== undefined);
  const wrong = rows.flatMap((row) => row.wrong);
  const sum = wrong.reduce((total, count) => total + (count > 0 ? count : 0), 0);
  if (sum > 0 || (bounds && bounds.word !== "OK")) {
    return {
      kind: "wrong",
      reason: `${sum} elements of the results are wrong (${bounds?.count ?? "no"} out of bounds)`,
    };
  }
  if (end && end.status !== "0") {
    const why = end.why ?? lines.findLast((line) => line !== "" && !ENDED.test(line)) ?? "it said nothing";
    return { kind: "failed", reason: `it ended with status ${end.status}: ${why}` };
  }
  const uncounted = wrong.some((count) => Number.isNaN(count));
  if (!end || !bounds || uncounted || rows.every(({ bytes }) => bytes !== largestBytes)) {
    return {
      kind: "cut",
      reason: `its output has no whole result: ${rows.length} rows that count${missing(end, bounds)}`,
    };
  }
  const busGBps = Math.round((bus.reduce((total, value) => total + value, 0) / bus.length) * 10) / 10;
  const figures = `${busGBps} GB/s bus bandwidth, at least ${minBusGBps} is asked for`;
  return { kind: busGBps >= minBusGBps ? "good" : "slow", reason: figures, busGBps };
}

function missing(end: unknown, bounds: unknown): string {
  return `${end ? "" : ", no end of the trial"}${bounds ? "" : ", no check of the values"}`;
}

/** Undefined for what is no whole row. */
function rowOf(line: string): Row | undefined {
  const columns = line.split(/\s+/);
  if (columns.length !== 13 || !columns.slice(0, 2).every((column) => /^\d+$/.test(column))) {
    return undefined;
  }
  const [bytes = Number.NaN] = columns.map(Number);
  const at = (column: number) => numberOf(columns[column]);
  return { bytes, bus: [at(7), at(11)], wrong: [at(8), at(12)] };
}

/** NaN for `nan`, `inf`, `N/A` and whatever else is no number. */
function numberOf(text: string | undefined): number {
  return text === undefined || !/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number.NaN : Number(text);
}
