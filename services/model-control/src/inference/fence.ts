import { randomInt } from "node:crypto";

const FENCES = 2 ** 48 - 1;

/**
 * Random, as a counter could repeat after lost Redis writes (power cut, failover): two processes
 * would then write one answer.
 */
export function newFence(): number {
  return randomInt(1, FENCES);
}
