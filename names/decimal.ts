const formats = new Map<string, Intl.NumberFormat>();

/**
 * `1,234`, `0.5`. Each format is made once: `toLocaleString` with options makes one for each number, in some 40 µs.
 *
 * @param most digits behind the point at most.
 * @param least digits behind the point at least, zeros where there are no others. @default 0
 */
export function decimal(value: number, most: number, least = 0): string {
  const key = `${least} ${most}`;
  const format =
    formats.get(key) ?? new Intl.NumberFormat("en-US", { minimumFractionDigits: least, maximumFractionDigits: most });
  formats.set(key, format);
  return format.format(value);
}
