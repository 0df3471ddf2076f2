import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { decimal } from "../names/decimal";
import { visible } from "../names/visible";

/** Text styles that turn into nothing when colours are off. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
}

const FORMATS = { bold: "bold", dim: "dim", good: "green", bad: "red", warn: "yellow" } as const;

/** Placeholder for ESC. Random per process, so foreign text cannot contain it. */
const OWN_ESCAPE = `<${randomUUID()}>`;

export function style(color: boolean): Style {
  const apply = (format: (typeof FORMATS)[keyof typeof FORMATS]) => {
    const [on, off] = inspect.colors[format] ?? [];
    return (text: string) => (color ? `${OWN_ESCAPE}[${on}m${text}${OWN_ESCAPE}[${off}m` : text);
  };
  const { bold, dim, good, bad, warn } = FORMATS;
  return { bold: apply(bold), dim: apply(dim), good: apply(good), bad: apply(bad), warn: apply(warn) };
}

/** Call last: makes `style` effective in a terminal. */
export function withOwnColours(text: string): string {
  return text.replaceAll(OWN_ESCAPE, "\u001b");
}

/** One visible line with a style; widths count text only. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
  readonly align?: "left" | "right";
  /** The last of its row, over the columns that follow: it widens none. */
  readonly spans?: boolean;
}

/** Columns of text: 100, or as many as a narrower terminal has. */
export const WIDTH = Math.min(100, Math.max(40, process.stdout.columns ?? 100));

/** Wraps at `width`, with `indent`; list items hang, long words stay whole. */
export function wrap(text: string, width: number, indent: string): string[] {
  const hanging = indent + " ".repeat(/^(- |\d+\. )/.exec(text)?.[0].length ?? 0);
  const lines: string[] = [];
  let line = indent;
  for (const word of visible(text).split(" ")) {
    const empty = line.trim() === "";
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = hanging + word;
    } else {
      line += empty ? word : ` ${word}`;
    }
  }
  return [...lines, line];
}

/** Columns padded to their widest cell, two spaces between them, no trailing blanks. */
export function table(rows: readonly (readonly (string | Cell)[])[]): string {
  const cells = rows.map((row) =>
    row.map(
      (cell): Cell => (typeof cell === "string" ? { text: visible(cell) } : { ...cell, text: visible(cell.text) }),
    ),
  );
  const widths: number[] = [];
  for (const row of cells) {
    row.forEach((cell, i) => {
      if (cell.spans) {
        return;
      }
      widths[i] = Math.max(widths[i] ?? 0, cell.text.length);
    });
  }
  return cells
    .map((row) =>
      row
        .map(({ text, paint, align, spans }, i) => {
          const width = widths[i] ?? 0;
          if (spans) {
            return paint ? paint(text) : text;
          }
          const padded = align === "right" ? text.padStart(width) : text.padEnd(width);
          return paint ? paint(padded) : padded;
        })
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** Ten blocks for a fraction of a limit. */
export function bar(fraction: number): string {
  const filled = Math.max(0, Math.min(10, Math.round(fraction * 10)));
  return "▇".repeat(filled) + "░".repeat(10 - filled);
}

/** `4 min 10 s`, `45 s`; from two hours `2 h 35 min`. */
export function duration(seconds: number): string {
  if (seconds >= 7200) {
    const whole = Math.round(seconds / 60);
    return [`${Math.floor(whole / 60)} h`, whole % 60 > 0 ? `${whole % 60} min` : ""].filter(Boolean).join(" ");
  }
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return [minutes > 0 ? `${minutes} min` : "", rest > 0 || minutes === 0 ? `${rest} s` : ""].filter(Boolean).join(" ");
}

/** `1,234.50`; whole dollars from a thousand on. */
export function usd(amount: number): string {
  const digits = Math.abs(amount) >= 1000 || amount === 0 ? 0 : 2;
  return decimal(amount, digits, digits);
}

/** `1,234`, `0.5` */
export function count(value: number): string {
  return decimal(value, value < 10 ? 1 : 0);
}
