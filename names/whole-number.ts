/** Above any count here; bounds all loops. */
const MOST = 2 ** 31 - 1;

/** Positive count: 8192, 8k (decimal), 8K (binary); undefined if invalid. */
export function wholeNumber(value: unknown): number | undefined {
  // Converting other types to text may throw.
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  const [, digits, unit = ""] = /^(\d{1,12})([kKmMgG]?)$/.exec(text) ?? [];
  if (digits === undefined) {
    return undefined;
  }
  const base = unit === unit.toLowerCase() ? 1000 : 1024;
  const number = Number(digits) * base ** ["", "k", "m", "g"].indexOf(unit.toLowerCase());
  return number >= 1 && number <= MOST ? number : undefined;
}
