/** Figures of a sample, and how sure they are. */

/** The value below which a part of the sample lies, between neighbours by linear interpolation. @param part 0 to 1 */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of a sample, with n − 1. */
function standardDeviation(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/** Student's t, two-sided at 95 %, by degrees of freedom from 1 (any table of it). Beyond, that of the normal distribution. */
const STUDENT_95 = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23] as const;

/** No measurement is stated more exactly: clocks, networks and warm-up differ by as much from one run to the next. */
export const LEAST_ERROR = 0.03;

/**
 * How far the figure of the same measurement made again may lie from this one: half the width of the 95 % interval of the
 * mean over blocks, as a part of it. Blocks that lie apart in time carry what changes slowly (heat, neighbours), which
 * requests one after another do not.
 *
 * @param blocks the figure of each block.
 * @returns undefined for fewer than two: nobody can say.
 */
export function statedError(blocks: readonly number[]): number | undefined {
  const freedom = blocks.length - 1;
  const centre = mean(blocks);
  if (freedom < 1 || !(centre > 0)) {
    return undefined;
  }
  const halfWidth = ((STUDENT_95[freedom - 1] ?? 1.96) * standardDeviation(blocks)) / Math.sqrt(blocks.length);
  return Math.max(LEAST_ERROR, halfWidth / centre);
}
