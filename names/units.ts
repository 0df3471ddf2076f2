/** GiB is 2^30 bytes, what engines and drivers report; GB (10^9) is what catalogues and vendors print. */
export const BYTES_PER_GIB = 2 ** 30;
export const BYTES_PER_MIB = 2 ** 20;

export function toGiB(bytes: number): number {
  return bytes / BYTES_PER_GIB;
}

/** Smallest multiple of `multiple` that is not below `value`. */
export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}
