import { randomInt } from "node:crypto";

const FENCES = 2 ** 48 - 1;

/**
 * A fence that nobody has, nor ever had. One more than the last would be given twice by a server that lost its latest writes (a
 * power cut, a failover): then two processes would write to one answer, and each be told that it may.
 */
export function newFence(): number {
  return randomInt(1, FENCES);
}
