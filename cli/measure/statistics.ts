/** Statistics of a sample, with errors. */

/** Linear interpolation. @param part 0 to 1 */
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

/** Sample, with n − 1. */
function standardDeviation(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/**
 * Student's t, two-sided at 95 %, by degrees of freedom from 1 (any table of it); beyond, the
 * normal distribution's.
 */
const STUDENT_95 = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23] as const;

/** Lower bound: clocks, networks and warm-up differ by this between runs. */
export const LEAST_ERROR = 0.03;

/**
 * Relative spread of repeated measurements: half of the 95 % interval of the mean over blocks.
 * Blocks apart in time include slow changes (heat, neighbours), which consecutive requests do not.
 *
 * @param blocks the figure of each block.
 * @returns undefined for fewer than two.
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
