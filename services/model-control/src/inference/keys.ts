import { QUEUE_PREFIX } from "../tasks/lanes";

/** Redis key names. Keys of a task share a hash tag, which keeps them on one cluster node. */
const PREFIX = `${QUEUE_PREFIX}:answers`;

export const taskKeys = (id: string) => ({
  /** Hash: immutable fields, what the task waits for, and state and fence per item. */
  record: `${PREFIX}:{${id}}:record`,
  /** Hash: encrypted prompts by number, and answer options under `options`. */
  prompts: `${PREFIX}:{${id}}:prompts`,
  /** Hash: encrypted answers by number. */
  answers: `${PREFIX}:{${id}}:answers`,
});

/** Sorted sets of tasks by creation time. */
export const indexKeys = (owner: string) => ({
  /** Unfinished tasks of all callers. */
  open: `${PREFIX}:open`,
  openOfOwner: `${PREFIX}:open:${owner}`,
  /** All stored tasks. */
  ofOwner: `${PREFIX}:of:${owner}`,
  /** Tasks of all callers without a prompt at an engine. */
  waiting: `${PREFIX}:waiting`,
});

/** Number of prompts requested in a period. */
export const askedKeys = (owner: string, time: number) => ({
  byOwner: `${PREFIX}:asked:${time}:${owner}`,
  byAll: `${PREFIX}:asked:${time}`,
});

/** Task of an idempotency key. @param mark see `Sealer.marks`. */
export const idempotencyKey = (mark: string) => `${PREFIX}:key:${mark}`;
