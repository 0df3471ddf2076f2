/** GiB is 2^30 bytes, what engines and drivers report; GB (10^9) is what catalogues and vendors print. */
export const bytesPerGiB = 2 ** 30;
export const bytesPerMiB = 2 ** 20;

export function toGiB(bytes: number): number {
  return bytes / bytesPerGiB;
}

/** Smallest multiple of `multiple` that is not below `value`. */
export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}
