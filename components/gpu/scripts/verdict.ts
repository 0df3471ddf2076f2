/**
 * Verdict from the output of an all-reduce test.
 *
 * Format of nccl-tests 2.17 to 2.19 and rccl-tests (src/common.cu, `BenchTime` and `run`): thirteen
 * columns per size. The last eight are time, algorithm bandwidth, bus bandwidth and wrong elements,
 * out-of-place then in-place. The end is `# Out of bounds values : <n> OK|FAILED`. mpirun may
 * prefix lines with `[1,0]<stdout>:`.
 */

export interface Expected {
  /** Bytes of the largest message; without its row the output is truncated. */
  readonly largestBytes: number;
  /** Smallest message that counts, bytes: below, latency dominates. */
  readonly smallestBytes: number;
  readonly minBusGBps: number;
}

/**
 * - `good`: correct and fast enough
 * - `slow`: correct, below the limit
 * - `wrong`: wrong elements
 * - `not-a-number`: bandwidth is not a number, so nothing was measured
 * - `cut`: output has no end, or lacks rows
 * - `hang`: stopped at its deadline
 * - `failed`: the test or its setup ended with an error
 */
export type VerdictKind = "good" | "slow" | "wrong" | "not-a-number" | "cut" | "hang" | "failed";

export interface Verdict {
  readonly kind: VerdictKind;
  /** One human-readable line with figures. */
  readonly reason: string;
  /** Mean bus bandwidth of counted rows, GB/s; undefined if unreadable. */
  readonly busGBps?: number;
}

interface Row {
  readonly bytes: number;
  readonly bus: readonly [number, number];
  /** Wrong elements; NaN if the test did not check. */
  readonly wrong: readonly [number, number];
}

/** Last line of trial.sh. */
const ENDED = /^trial: ended (?<status>\d+) after (?<seconds>\d+) s(?:: (?<why>.+))?$/;
/** Exit statuses of coreutils' `timeout`: timed out; killed. */
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

/** Undefined for an incomplete row. */
function rowOf(line: string): Row | undefined {
  const columns = line.split(/\s+/);
  if (columns.length !== 13 || !columns.slice(0, 2).every((column) => /^\d+$/.test(column))) {
    return undefined;
  }
  const [bytes = Number.NaN] = columns.map(Number);
  const at = (column: number) => numberOf(columns[column]);
  return { bytes, bus: [at(7), at(11)], wrong: [at(8), at(12)] };
}

/** NaN for `nan`, `inf`, `N/A` and other text. */
function numberOf(text: string | undefined): number {
  return text === undefined || !/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number.NaN : Number(text);
}
