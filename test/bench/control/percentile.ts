/**
 * The smallest of the values that is at least as large as `percent` of them (nearest rank).
 *
 * @throws Error for no values.
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (value === undefined) {
    throw new Error("no values to take a percentile of");
  }
  return value;
}
