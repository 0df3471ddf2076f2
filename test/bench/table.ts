/** A heading, names of columns, and cells that are already text. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Aligned plain text: the first column to the left, all others, which hold numbers, to the right. */
export function formatTable({ title, columns, rows }: Table): string {
  const widths = columns.map((column, i) => Math.max(column.length, ...rows.map((row) => (row[i] ?? "").length)));
  const line = (cells: readonly string[]) =>
    widths
      .map((width, i) => (i === 0 ? (cells[i] ?? "").padEnd(width) : (cells[i] ?? "").padStart(width)))
      .join("  ")
      .trimEnd();
  return [title, "", ...[columns, ...rows].map((cells) => `  ${line(cells)}`)].join("\n");
}

/** Seconds to the hundredth, for example `1.04 s`. */
export function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}

/** Milliseconds with three significant digits, from seconds. */
export function milliseconds(value: number): string {
  return `${Number((value * 1000).toPrecision(3))} ms`;
}

/** Bytes as MB of 10⁶ bytes. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

/** A ratio, for example `8.2 ×`. */
export function times(ratio: number): string {
  return `${ratio.toFixed(1)} ×`;
}

/** Bytes as kB of 1,000 bytes, with one digit below 10. */
export function kilobytes(bytes: number): string {
  const value = bytes / 1000;
  return `${value.toFixed(value < 10 ? 1 : 0)} kB`;
}
