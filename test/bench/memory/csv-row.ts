import { readFileSync, statSync } from "node:fs";
import { type Cell, CsvError, type CsvRecord, firstOf, limits, parseCsv } from "./csv";

/** What the rows of a file are, and how one is read. */
export interface RowKind<Column extends string, Value> {
  /** One of them, for messages: `start-up`. */
  readonly what: string;
  /** Others may be absent. */
  readonly required: readonly Column[];
  readonly read: (row: Row<Column>) => Value;
}

/**
 * Reads the rows below a first line that names the columns; columns of no kind are left out.
 * @throws CsvError with every mistake, by line and column
 */
export function readRows<Column extends string, Value>(
  text: string,
  { what, required, read }: RowKind<Column, Value>,
): readonly Value[] {
  const records = parseCsv(text);
  const [first] = records;
  if (first === undefined) {
    throw new CsvError([`the file has no ${what}: nothing stands below its first line`]);
  }
  const missing = required.filter((column) => !first.has(column));
  if (missing.length > 0) {
    throw new CsvError([`line 1: column ${missing.join(", ")} is missing`]);
  }
  const problems: string[] = [];
  const values = records.map((record) => read(new Row<Column>(record, problems)));
  if (problems.length > 0) {
    throw new CsvError(firstOf(problems));
  }
  return values;
}

/** @throws Error that names the file and every mistake in it */
export function readFileOfRows<Value>(path: string, read: (text: string) => Value): Value {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) {
    throw new Error(`--rows ${path}: there is no such file`);
  }
  if (size > 4 * limits.characters) {
    throw new Error(`${path} has ${size} bytes; that is no list of rows`);
  }
  try {
    return read(readFileSync(path, "utf8"));
  } catch (error) {
    throw error instanceof CsvError ? new Error(`${path}\n${error.message}`) : error;
  }
}

/** Cells of one record; mistakes are collected. */
/** Cells of one record; mistakes are collected. */
export class Row<Column extends string> {
  readonly line: number;

  constructor(
    private readonly record: CsvRecord,
    private readonly problems: string[],
  ) {
    this.line = [...record.values()][0]?.line ?? 0;
  }

  text(column: Column): string {
    return this.record.get(column)?.text.trim() ?? "";
  }

  name(column: Column): string {
    const text = this.text(column);
    if (text === "") {
      this.problem(column, "must not be empty");
    }
    return text;
  }

  whole(column: Column, most: number): number | undefined {
    const value = this.number(column, most);
    if (value !== undefined && value > 0 && value <= most && !Number.isInteger(value)) {
      this.problem(column, `must be a whole number up to ${most}`);
    }
    return value;
  }

  number(column: Column, most: number): number | undefined {
    const text = this.text(column);
    if (text === "") {
      return undefined;
    }
    const value = Number(text);
    if (!(value > 0 && value <= most)) {
      this.problem(column, `must be a number above 0 and up to ${most}, or empty`);
    }
    return value;
  }

  version(column: Column): string | undefined {
    const text = this.text(column);
    if (text === "") {
      return undefined;
    }
    if (!/^v?\d{1,6}(\.\d{1,6}){1,3}([.+-]?[a-z0-9.+-]{1,60})?$/i.test(text)) {
      this.problem(column, "must be a release such as 0.19.0, or empty");
    }
    return text.replace(/^v/, "");
  }

  oneOf<Value extends string>(column: Column, values: readonly Value[]): Value | undefined {
    const text = this.text(column);
    const found = values.find((value) => value === text);
    if (text !== "" && found === undefined) {
      this.problem(column, `must be ${values.join(", ")} or empty`);
    }
    return found;
  }

  problem(column: Column, text: string): void {
    const cell: Cell | undefined = this.record.get(column);
    const found = JSON.stringify(cell?.text.slice(0, 60) ?? "");
    this.problems.push(
      `line ${cell?.line ?? this.line}, column ${cell?.column ?? 0} (${column}): ${text}, is ${found}`,
    );
  }
}
