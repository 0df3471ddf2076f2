import { QUEUE_PREFIX } from "../tasks/lanes";

/** Names in Redis. Those of one task share a hash tag, so a cluster keeps them together. */
const PREFIX = `${QUEUE_PREFIX}:answers`;

export const taskKeys = (id: string) => ({
  /** Hash: what does not change, what the task waits for, and of each item its state and its fence. */
  record: `${PREFIX}:{${id}}:record`,
  /** Hash: sealed prompts by their number, and how they are to be answered under `options`. */
  prompts: `${PREFIX}:{${id}}:prompts`,
  /** Hash: sealed answers by their number. */
  answers: `${PREFIX}:{${id}}:answers`,
});

/** Sorted sets of tasks by the time that they were made. */
export const indexKeys = (owner: string) => ({
  /** Unfinished ones, of all callers. */
  open: `${PREFIX}:open`,
  openOfOwner: `${PREFIX}:open:${owner}`,
  /** All that are kept. */
  ofOwner: `${PREFIX}:of:${owner}`,
  /** Those of all callers of which no prompt is at an engine. */
  waiting: `${PREFIX}:waiting`,
});

/** How many prompts were asked in a time. */
export const askedKeys = (owner: string, time: number) => ({
  byOwner: `${PREFIX}:asked:${time}:${owner}`,
  byAll: `${PREFIX}:asked:${time}`,
});

/** Which task an idempotency key stands for. @param mark see `Sealer.marks`. */
export const idempotencyKey = (mark: string) => `${PREFIX}:key:${mark}`;
