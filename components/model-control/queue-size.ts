/** How large the server of the queue is. Pure. */
import { BYTES_PER_MIB, roundUp } from "../../names/units";
import { PROMPT_MEMORY_SHARE } from "../../services/model-control/src/tasks/memory-share";
import { type InferenceLimits, inferenceBytes } from "./inference-settings";

export interface QueueSize {
  /** What Valkey may hold, MiB: `maxmemory`. It refuses what is more. */
  readonly maxMemoryMiB: number;
  /** Memory limit of its pod, GiB. */
  readonly podMemoryGiB: number;
  /** Its volume, GiB. */
  readonly volumeGiB: number;
}

/** Tasks of all other kinds are a few hundred bytes each, and those that are done go after a day. */
const TASKS_MIB = 16;
const LEAST_MIB = 192;
const STEP_MIB = 64;

/** A rewrite of the log forks: at worst the data is in memory twice. The rest is the program, and buffers. */
const FORKED = 2;
const PROGRAM_MIB = 128;

/**
 * The log is written anew when it has grown to twice its size, beside the old one: at most as much again, and what is written meanwhile.
 * Source: valkey.conf of Valkey 9, auto-aof-rewrite-percentage 100.
 */
const LOG_COPIES = 4;

/** The most that Valkey may hold, MiB: a rewrite of more takes minutes in which it answers slowly. */
export const MOST_QUEUE_MIB = 8192;

/** @param inference not given: there is none, and the queue holds tasks alone. */
export function queueSize(inference?: InferenceLimits): QueueSize {
  const needed = inference ? queueMiB(inference) : 0;
  const maxMemoryMiB = Math.max(LEAST_MIB, needed);
  return {
    maxMemoryMiB,
    podMemoryGiB: roundUp(FORKED * maxMemoryMiB + PROGRAM_MIB, 128) / 1024,
    volumeGiB: Math.ceil((LOG_COPIES * maxMemoryMiB) / 1024),
  };
}

/** The most tasks that may wait within these limits where Valkey holds as much as it may; 0 where the answers alone are too much. */
export function mostQueued(inference: InferenceLimits): number {
  const bytes = (queued: number) => inferenceBytes({ ...inference, queued });
  const room = (MOST_QUEUE_MIB * PROMPT_MEMORY_SHARE - TASKS_MIB) * BYTES_PER_MIB - bytes(0);
  return Math.max(0, Math.floor(room / (bytes(1) - bytes(0))));
}

/** MiB that Valkey must hold for asynchronous inference within these limits. */
export function queueMiB(inference: InferenceLimits): number {
  const mib = TASKS_MIB + inferenceBytes(inference) / BYTES_PER_MIB;
  return roundUp(mib / PROMPT_MEMORY_SHARE, STEP_MIB);
}
