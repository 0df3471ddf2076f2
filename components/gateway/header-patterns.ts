/** Header values that a route matches by pattern. */

/** Longest value of a header that a route may match (Gateway API 1.6, HTTPHeaderMatch). */
const LONGEST_MATCH = 4096;

/** One pattern for all of these values, or as few as fit: a route takes 128 matches in all. Envoy matches values whole. */
export function patternsOf(values: readonly string[]): string[] {
  const patterns: string[] = [];
  for (const value of values.map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))) {
    const longer = patterns.length > 0 ? `${patterns[patterns.length - 1]}|${value}` : undefined;
    if (longer === undefined || longer.length > LONGEST_MATCH) {
      patterns.push(value);
    } else {
      patterns[patterns.length - 1] = longer;
    }
  }
  return patterns;
}
