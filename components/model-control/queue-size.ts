import { BYTES_PER_MIB, roundUp } from "../../names/units";
import { PROMPT_MEMORY_SHARE } from "../../services/model-control/src/tasks/memory-share";
import { type InferenceLimits, inferenceBytes } from "./inference-settings";

export interface QueueSize {
  /** Valkey's `maxmemory`, MiB. More is refused. */
  readonly maxMemoryMiB: number;
  /** Memory limit of its pod, GiB. */
  readonly podMemoryGiB: number;
  /** Its volume, GiB. */
  readonly volumeGiB: number;
}

/** Other tasks have a few hundred bytes each and are deleted a day after completion. */
const TASKS_MIB = 16;
const LEAST_MIB = 192;
const STEP_MIB = 64;

/** Log rewrites fork: at worst data is in memory twice. The rest is program and buffers. */
const FORKED = 2;
const PROGRAM_MIB = 128;

/**
 * The log is rewritten at twice its size, with the old one kept meanwhile, plus new writes. Source:
 * valkey.conf of Valkey 9, auto-aof-rewrite-percentage 100.
 */
const LOG_COPIES = 4;

/** Maximum of Valkey, MiB: larger rewrites slow answers for minutes. */
export const MOST_QUEUE_MIB = 8192;

/** @param inference undefined: the queue holds only tasks. */
export function queueSize(inference?: InferenceLimits): QueueSize {
  const needed = inference ? queueMiB(inference) : 0;
  const maxMemoryMiB = Math.max(LEAST_MIB, needed);
  return {
    maxMemoryMiB,
    podMemoryGiB: roundUp(FORKED * maxMemoryMiB + PROGRAM_MIB, 128) / 1024,
    volumeGiB: Math.ceil((LOG_COPIES * maxMemoryMiB) / 1024),
  };
}

/** Most waiting tasks within these limits at Valkey's maximum; 0 if answers alone exceed it. */
export function mostQueued(inference: InferenceLimits): number {
  const bytes = (queued: number) => inferenceBytes({ ...inference, queued });
  const room = (MOST_QUEUE_MIB * PROMPT_MEMORY_SHARE - TASKS_MIB) * BYTES_PER_MIB - bytes(0);
  return Math.max(0, Math.floor(room / (bytes(1) - bytes(0))));
}

/** Valkey MiB for asynchronous inference within these limits. */
export function queueMiB(inference: InferenceLimits): number {
  const mib = TASKS_MIB + inferenceBytes(inference) / BYTES_PER_MIB;
  return roundUp(mib / PROMPT_MEMORY_SHARE, STEP_MIB);
}
