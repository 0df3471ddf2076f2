/** `12 ms`, `1.25 s`. */
export function milliseconds(value: number): string {
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(2)} s`;
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
