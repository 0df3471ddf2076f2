/** Reproducible pseudo-random numbers: plans must not change by themselves. */
export interface RandomSource {
  /** In (0, 1). */
  next(): number;
}

/** Mulberry32 (Tommy Ettinger, public domain): period 2^32, enough for thousands of requests. */
export function randomFrom(seed: number): RandomSource {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      // Offset by half a step, so that logarithms never meet zero.
      return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
    },
  };
}

/** Mean 1. */
export function exponential(random: RandomSource): number {
  return -Math.log(random.next());
}

/** Log-normal of mean 1. @param variation its standard deviation; 0: always 1. */
export function logNormal(random: RandomSource, variation: number): number {
  // Always draws two, so that later numbers stay the same.
  const normal = Math.sqrt(-2 * Math.log(random.next())) * Math.cos(2 * Math.PI * random.next());
  const variance = Math.log(1 + variation * variation);
  return Math.exp(Math.sqrt(variance) * normal - variance / 2);
}
