/** Fits tables to a width by dropping the least important columns. Pure. */
import { visible } from "../../names/visible";
import { type Cell, type Style, table } from "../../report/style";

export interface Column<Row> {
  readonly title: string;
  /** Empty: unknown. */
  readonly text: (row: Row) => string;
  readonly align?: "right";
  readonly paint?: (row: Row, style: Style) => ((text: string) => string) | undefined;
  /** Higher numbers are dropped first. @default never */
  readonly drop?: number;
}

const BETWEEN = 2;
/** Share of the width for the first column before others are dropped; it also gets the rest. */
const LEAST_NAME = 1 / 4;
/** Widths of columns that stay and that may go. */
const MOST = { stays: 20, drops: 40 } as const;

/** One line, cut between characters at most to the width. */
export function cut(text: string, width: number): string {
  const line = visible(text);
  if (line.length <= width) {
    return line;
  }
  let kept = "";
  for (const sign of line) {
    if (kept.length + sign.length > width - 1) {
      break;
    }
    kept += sign;
  }
  return `${kept}…`;
}

/** Titles first; empty without rows. Columns without values are left out. */
export function fitted<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  style: Style,
): string[] {
  if (rows.length === 0) {
    return [];
  }
  const [first, ...others] = columns
    .map((column) => ({
      column,
      texts: rows.map((row) =>
        cut(column.text(row), column === columns[0] ? width : MOST[column.drop === undefined ? "stays" : "drops"]),
      ),
    }))
    .filter(({ column, texts }) => column === columns[0] || texts.some((text) => text !== ""));
  if (first === undefined) {
    return [];
  }
  const sized = others.map((each) => ({
    ...each,
    width: BETWEEN + Math.max(each.column.title.length, ...each.texts.map((text) => text.length)),
  }));
  const leastName = Math.max(first.column.title.length, Math.min(longest(first.texts), Math.floor(LEAST_NAME * width)));
  const room = width - leastName;
  const kept = new Set(sized);
  const total = () => [...kept].reduce((sum, each) => sum + each.width, 0);
  for (const each of [...sized].sort((a, b) => (b.column.drop ?? 0) - (a.column.drop ?? 0))) {
    if (total() > room && each.column.drop !== undefined) {
      kept.delete(each);
    }
  }
  const nameWidth = Math.max(1, width - total());
  const shown = [
    { ...first, texts: first.texts.map((text) => cut(text, nameWidth)) },
    ...sized.filter((each) => kept.has(each)),
  ];
  const head = shown.map(({ column }): Cell => ({ text: column.title, align: column.align, paint: style.dim }));
  const body = rows.map((row, i) =>
    shown.map(
      ({ column, texts }): Cell => ({ text: texts[i] ?? "", align: column.align, paint: column.paint?.(row, style) }),
    ),
  );
  return table([head, ...body])
    .trimEnd()
    .split("\n");
}

function longest(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length));
}
