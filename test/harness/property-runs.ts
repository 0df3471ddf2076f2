/**
 * How often properties run, and on which values. With each change 25 times, on the seed of the run (`PROPERTY_SEED`), so that a
 * repeated run tries the same values. `PROPERTY_RUNS=full` runs them as often as they say, on random seeds: nightly.
 * Without a seed it is always the same one. A failure says its seed: `PROPERTY_SEED=<seed> npx vitest run <file>`.
 */
import fc from "fast-check";

/** All runs, as nightly. Fewer may not reach what a test counts. */
export const isFull = process.env.PROPERTY_RUNS === "full";
const given = process.env.PROPERTY_SEED;

/** The runs of a property that are too many for each change: fewer by day, where a run takes long, than the usual number. */
export function atNight(runs: number, byDay = 25): number {
  return isFull ? runs : Math.min(runs, byDay);
}

const seed = given === undefined ? 1 : Number(given);
if (!Number.isInteger(seed)) {
  throw new Error(`PROPERTY_SEED is ${given}; it must be a whole number`);
}
fc.configureGlobal({ numRuns: atNight(100), ...((!isFull || given !== undefined) && { seed }) });
