/** Comma-separated values (RFC 4180), bounded, with the place of every mistake. */

export interface Cell {
  readonly text: string;
  /** From 1, for messages. */
  readonly line: number;
  readonly column: number;
}

/** One record: cells by the name of their column. */
export type CsvRecord = ReadonlyMap<string, Cell>;

/** What is wrong with a file: every mistake, each with its line and column. */
export class CsvError extends Error {
  override readonly name = "CsvError";

  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

/** Bounds that no list of start-ups comes near. */
export const limits = { characters: 5_000_000, records: 20_000, columns: 100, cell: 4000, problems: 50 } as const;

/**
 * Records of a file whose first line names the columns. Names are compared in lower case; empty lines are left out.
 * @throws CsvError
 */
export function parseCsv(text: string): readonly CsvRecord[] {
  if (text.length > limits.characters) {
    throw new CsvError([`the file has ${text.length} characters; at most ${limits.characters} are read`]);
  }
  const [header, ...rows] = cellsOf(text.replace(/^\uFEFF/, ""));
  if (header === undefined) {
    throw new CsvError(["the file is empty; its first line must name the columns"]);
  }
  if (rows.length > limits.records) {
    throw new CsvError([`the file has ${rows.length} records; at most ${limits.records} are read`]);
  }
  const names = header.map(({ text: name }) => name.trim().toLowerCase());
  const problems = [
    ...(names.length > limits.columns ? [`line 1: ${names.length} columns; at most ${limits.columns} are read`] : []),
    ...header.flatMap(({ column }, index) =>
      names.indexOf(names[index] ?? "") < index ? [`line 1, column ${column}: "${names[index]}" is there twice`] : [],
    ),
    ...rows.flatMap((cells) => recordProblems(cells, names.length)),
  ];
  if (problems.length > 0) {
    throw new CsvError(firstOf(problems));
  }
  return rows.map((cells) => new Map(cells.map((cell, index) => [names[index] ?? "", cell])));
}

/** As many problems as a reader can use. */
export function firstOf(problems: readonly string[]): string[] {
  const more = problems.length - limits.problems;
  return more > 0 ? [...problems.slice(0, limits.problems), `and ${more} more`] : [...problems];
}

function recordProblems(cells: readonly Cell[], columns: number): string[] {
  const line = cells[0]?.line ?? 0;
  const long = cells.filter(({ text }) => text.length > limits.cell);
  return [
    ...(cells.length === columns ? [] : [`line ${line}: ${cells.length} cells under ${columns} columns`]),
    ...long.map((cell) => `line ${cell.line}, column ${cell.column}: longer than ${limits.cell} characters`),
  ];
}

/** Cells by line. @throws CsvError for quotes that are not closed, or stand where none may. */
function cellsOf(text: string): Cell[][] {
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  let [line, lineStart, at] = [1, 0, 0];
  const endRow = () => {
    if (row.length > 1 || row[0]?.text.trim()) {
      rows.push(row);
    }
    row = [];
  };
  while (at < text.length) {
    const place = { line, column: at - lineStart + 1 };
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1);
      if (end < 0) {
        throw new CsvError([`line ${line}, column ${place.column}: the quote is not closed`]);
      }
      const quoted = text.slice(at + 1, end);
      row.push({ text: quoted.replaceAll('""', '"'), ...place });
      const breaks = quoted.split("\n").length - 1;
      if (breaks > 0) {
        [line, lineStart] = [line + breaks, text.lastIndexOf("\n", end) + 1];
      }
      at = end + 1;
      if (at < text.length && !/[,\r\n]/.test(text[at] ?? "")) {
        throw new CsvError([`line ${line}, column ${at - lineStart + 1}: a comma must follow the closing quote`]);
      }
    } else {
      let end = at;
      while (end < text.length && text[end] !== "," && text[end] !== "\n" && text[end] !== "\r") {
        end += 1;
      }
      row.push({ text: text.slice(at, end), ...place });
      at = end;
    }
    if (text[at] === ",") {
      at += 1;
      if (at === text.length || text[at] === "\n" || text[at] === "\r") {
        row.push({ text: "", line, column: at - lineStart + 1 });
      }
    }
    if (text[at] === "\r") {
      at += 1;
    }
    if (text[at] === "\n") {
      endRow();
      at += 1;
      [line, lineStart] = [line + 1, at];
    }
  }
  endRow();
  return rows;
}

/** Index of the quote that closes; a doubled one is part of the cell. -1 without. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') {
      return at;
    }
  }
  return -1;
}
