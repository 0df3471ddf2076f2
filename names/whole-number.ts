/** More than anything that is counted here; bounds every loop over it. */
const MOST = 2 ** 31 - 1;

/** A count above 0 as people and engines write it: 8192, 8k (decimal), 8K (binary); undefined for all else. */
export function wholeNumber(value: unknown): number | undefined {
  // Of anything else even the conversion to text may fail.
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  const [, digits, unit = ""] = /^(\d{1,12})([kKmMgG]?)$/.exec(text) ?? [];
  if (digits === undefined) {
    return undefined;
  }
  const base = unit === unit.toLowerCase() ? 1000 : 1024;
  const number = Number(digits) * base ** ["", "k", "m", "g"].indexOf(unit.toLowerCase());
  return number >= 1 && number <= MOST ? number : undefined;
}
