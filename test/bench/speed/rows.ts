/** Published measurements, one row each: columns as in measured.csv. */
import { CsvError, type CsvRecord, firstOf, parseCsv } from "../memory/csv";

export interface Measured {
  readonly id: string;
  readonly engine: string;
  readonly engineVersion: string;
  readonly model: string;
  readonly quantization: string;
  readonly gpu: string;
  readonly gpus: number;
  /** Undefined: not published. */
  readonly tensorParallel?: number;
  readonly pipelineParallel: number;
  readonly expertParallel: number;
  readonly dataParallel?: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly load: Load;
  readonly metric: string;
  /** Absent where a row only asks. */
  readonly value?: number;
  readonly date: string;
  readonly notes: string;
  readonly source: string;
}

/** How requests came. */
export type Load =
  | { readonly kind: "clients" | "batch"; readonly requests: number }
  | { readonly kind: "rate"; readonly perSecond: number }
  | { readonly kind: "max" | "slo" | "server" };

const NEEDED = [
  "id",
  "engine",
  "model",
  "quantization",
  "gpu",
  "gpus",
  "input_tokens",
  "output_tokens",
  "concurrency_or_rate",
  "metric",
] as const;

/** A row whose cells are not as they should be, with what is wrong with them. */
export interface Unreadable {
  /** With the least that may stand there in the place of what nobody can read. */
  readonly row: Measured;
  readonly problems: readonly string[];
}

/** @throws CsvError naming every line and column that is not as it should be */
export function readMeasured(text: string): readonly Measured[] {
  const { rows, unreadable } = readRows(text);
  if (unreadable.length > 0) {
    throw new CsvError(firstOf(unreadable.flatMap(({ problems }) => problems)));
  }
  return rows;
}

/**
 * Rows of a file that somebody else wrote: those that can be read, and the others with their reasons.
 * @throws CsvError where the file is no table with the columns that every row needs
 */
export function readRows(text: string): {
  readonly rows: readonly Measured[];
  readonly unreadable: readonly Unreadable[];
} {
  const records = parseCsv(text);
  const missing = NEEDED.filter((column) => records[0] !== undefined && !records[0].has(column));
  if (missing.length > 0) {
    throw new CsvError([`line 1: no column ${missing.join(", ")}; columns are those of test/bench/speed/measured.csv`]);
  }
  const read = records.map((record) => {
    const problems: string[] = [];
    return { row: rowOf(record, problems), problems };
  });
  return {
    rows: read.filter(({ problems }) => problems.length === 0).map(({ row }) => row),
    unreadable: read.filter(({ problems }) => problems.length > 0),
  };
}

function rowOf(record: CsvRecord, problems: string[]): Measured {
  const text = (column: string) => record.get(column)?.text.trim() ?? "";
  const number = (column: string, least: number): number | undefined => {
    const cell = record.get(column);
    if (cell === undefined || cell.text.trim() === "") {
      return undefined;
    }
    const value = Number(cell.text);
    if (!Number.isFinite(value) || value < least) {
      problems.push(
        `line ${cell.line}, column ${cell.column}: ${column} is "${cell.text}"; a number from ${least} must stand there`,
      );
    }
    return value;
  };
  const needed = (column: string, least: number): number => {
    const value = number(column, least);
    if (value === undefined) {
      problems.push(`line ${record.get(column)?.line ?? 0}: ${column} is empty`);
    }
    return value ?? least;
  };
  const loadCell = record.get("concurrency_or_rate");
  const load = loadOf(text("concurrency_or_rate"));
  if (load === undefined) {
    problems.push(
      `line ${loadCell?.line}, column ${loadCell?.column}: concurrency_or_rate is "${loadCell?.text}"; c, b or r with a number, max, slo or server must stand there`,
    );
  }
  const tensorParallel = number("tp", 0);
  const dataParallel = number("dp", 0);
  const value = number("value", 0);
  return {
    id: text("id"),
    engine: text("engine").toLowerCase(),
    engineVersion: text("engine_version"),
    model: text("model"),
    quantization: text("quantization").toLowerCase(),
    gpu: text("gpu"),
    gpus: needed("gpus", 1),
    ...(tensorParallel && { tensorParallel }),
    pipelineParallel: number("pp", 0) || 1,
    expertParallel: number("ep", 0) || 1,
    ...(dataParallel && { dataParallel }),
    inputTokens: needed("input_tokens", 0),
    outputTokens: needed("output_tokens", 0),
    load: load ?? { kind: "max" },
    metric: text("metric"),
    ...(value !== undefined && value > 0 && { value }),
    date: text("date"),
    notes: text("notes"),
    source: text("source"),
  };
}

function loadOf(text: string): Load | undefined {
  if (text === "max" || text === "slo" || text === "server") {
    return { kind: text };
  }
  const [, letter, digits] = /^([cbr])(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const number = Number(digits);
  if (letter === undefined || !(number > 0)) {
    return undefined;
  }
  return letter === "r"
    ? { kind: "rate", perSecond: number }
    : { kind: letter === "c" ? "clients" : "batch", requests: number };
}
