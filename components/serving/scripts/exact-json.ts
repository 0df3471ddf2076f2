/**
 * JSON whose numbers stay as they were written: `JSON.parse` rounds integers beyond 2^53 and makes 1e400 infinite, which becomes null.
 *
 * Such numbers become texts with a prefix that nobody outside knows, and are written as numbers again.
 */
import { randomUUID } from "node:crypto";

const PREFIX = `number-${randomUUID()}:`;
const WRITTEN = new RegExp(`"${PREFIX}([^"]+)"`, "g");
/** Deeper than any tool's schema; what reads and writes JSON has its own limit, which is the stack. */
const MOST_DEPTH = 200;
const NUMBER = /-?\d[\d.eE+-]*/y;

/** @throws Error for no JSON, and for more than 200 mappings and lists in each other. */
export function parseExact(text: string): unknown {
  return JSON.parse(withExactNumbers(text));
}

export function stringifyExact(value: unknown): string {
  return JSON.stringify(value).replace(WRITTEN, "$1");
}

function withExactNumbers(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (char === '"') {
      at = endOfString(text, at);
    } else if (char === "[" || char === "{") {
      depth += 1;
      if (depth > MOST_DEPTH) {
        throw new Error(`more than ${MOST_DEPTH} values in each other`);
      }
    } else if (char === "]" || char === "}") {
      depth -= 1;
    } else if (char === "-" || (char >= "0" && char <= "9")) {
      NUMBER.lastIndex = at;
      const [number = char] = NUMBER.exec(text) ?? [];
      if (!isExact(number)) {
        parts.push(text.slice(copied, at), `"${PREFIX}${number}"`);
        copied = at + number.length;
      }
      at += number.length - 1;
    }
  }
  return parts.join("") + text.slice(copied);
}

/** Of what is no number of JSON, such as 01, the parser says so. */
function isExact(number: string): boolean {
  const value = Number(number);
  return (
    !/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(number) ||
    (Number.isFinite(value) && (Number.isSafeInteger(value) || !/^-?\d+$/.test(number)))
  );
}

/** Index of the quotation mark that ends the string that begins at `start`; the last one of the text where none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === "\\") {
      before -= 1;
    }
    if ((end - before) % 2 === 1) {
      return end;
    }
  }
  return text.length;
}
