/**
 * Likely corrections for the schema: `16k` as 16384, `https://Host/` as host, 0.9 in quotes where
 * valid.
 */
import type { FieldSchema } from "./field-text";

/** Numbers in text: `16k`, `8 requests`, `"4"`, where unit and bounds agree. */
export function correctedNumber(field: FieldSchema, text: string): number | undefined {
  const {
    amount,
    thousands,
    word = "",
  } = /^\s*(?<amount>-?\d+(\.\d+)?)(?<thousands>[kK](?![a-z]))?\s*(?<word>%|[A-Za-z]*)\s*$/.exec(text)?.groups ?? {};
  const unit = field.unit ?? "";
  if (word === "%" && isFraction(field)) {
    return correctedFraction(field, Number(amount));
  }
  // GB means GiB; other words must begin like the unit.
  const fits =
    word === "" ||
    (word === "%" && unit.startsWith("percent")) ||
    unit.toLowerCase().startsWith(word.slice(0, 1).toLowerCase());
  if (amount === undefined || !fits) {
    return undefined;
  }
  // Context lengths are powers of two.
  const scale = thousands === undefined ? 1 : unit === "tokens" ? 1024 : 1000;
  const number = Number(amount) * scale;
  return isAllowed(field, number) ? number : undefined;
}

/** 99.9 as 0.999 for fractions. */
export function correctedFraction(field: FieldSchema, percent: number): number | undefined {
  // Rounded: 99.9 / 100 is 0.9990000000000001.
  const number = Number((percent / 100).toPrecision(12));
  return isFraction(field) && isAllowed(field, number) ? number : undefined;
}

/** 0.8 as 80 for whole percents. */
export function correctedPercent(field: FieldSchema, fraction: number): number | undefined {
  const number = Number((fraction * 100).toPrecision(12));
  const isPart = field.unit?.startsWith("percent") === true && fraction > 0 && fraction < 1;
  return isPart && field.type === "integer" && isAllowed(field, number) ? number : undefined;
}

function isFraction({ type, maximum = Number.POSITIVE_INFINITY }: FieldSchema): boolean {
  return type === "number" && maximum <= 1;
}

function isAllowed({ type, enum: words, minimum, exclusiveMinimum, maximum }: FieldSchema, number: number): boolean {
  return (
    (words === undefined || words.includes(number)) &&
    (type !== "integer" || Number.isInteger(number)) &&
    number >= (minimum ?? Number.NEGATIVE_INFINITY) &&
    number > (exclusiveMinimum ?? Number.NEGATIVE_INFINITY) &&
    number <= (maximum ?? Number.POSITIVE_INFINITY)
  );
}

/** A number or boolean in quotes, where text is valid. */
export function quoted(field: FieldSchema, value: unknown): string | undefined {
  return field.type === "string" &&
    (typeof value === "number" || typeof value === "boolean") &&
    matches(field, `${value}`)
    ? JSON.stringify(`${value}`)
    : undefined;
}

/** Lower case, trimmed, or the host of a URL or address with port: the first valid one. */
export function correctedText(field: FieldSchema, text: string): string | undefined {
  // A value of valid form is refused for its meaning: another spelling, such as a lower-case key,
  // does not help.
  if (field.type !== "string" || field.pattern === undefined || matches(field, text)) {
    return undefined;
  }
  const trimmed = text.trim();
  const host = /^[a-z]+:\/\/(?:[^/@]*@)?([^/:?#]+)/i.exec(trimmed)?.[1] ?? trimmed.replace(/:\d+\/?$/, "");
  const tries = [trimmed, trimmed.toLowerCase(), host.toLowerCase().replace(/\.$/, "")];
  return tries.find((attempt) => attempt !== text && matches(field, attempt));
}

function matches(field: FieldSchema, text: string): boolean {
  const { enum: words, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = field;
  const isLong = text.length >= minLength && text.length <= maxLength;
  const isWord = words === undefined || words.includes(text);
  return isLong && isWord && (pattern === undefined || new RegExp(pattern, "u").test(text));
}
