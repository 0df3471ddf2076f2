const formats = new Map<string, Intl.NumberFormat>();

/**
 * `1,234`, `0.5`. Caches formats: `toLocaleString` with options creates one per number, in some 40
 * µs.
 *
 * @param most maximum decimals.
 * @param least minimum decimals.
 * @default 0
 */
export function decimal(value: number, most: number, least = 0): string {
  const key = `${least} ${most}`;
  const format =
    formats.get(key) ?? new Intl.NumberFormat("en-US", { minimumFractionDigits: least, maximumFractionDigits: most });
  formats.set(key, format);
  return format.format(value);
}
