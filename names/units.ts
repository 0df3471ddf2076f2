/** GiB (2^30 bytes) is used by engines and drivers, GB (10^9) by vendors. */
export const BYTES_PER_GIB = 2 ** 30;
export const BYTES_PER_MIB = 2 ** 20;

export function toGiB(bytes: number): number {
  return bytes / BYTES_PER_GIB;
}

export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}
