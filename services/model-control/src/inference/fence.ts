import { randomInt } from "node:crypto";

const FENCES = 2 ** 48 - 1;

/**
 * Random fence. A counter could repeat after a server loses recent writes (power cut, failover):
 * two processes would then write one answer.
 */
export function newFence(): number {
  return randomInt(1, FENCES);
}
