import type { JobsOptions } from "bullmq";
import type { ControlConfig } from "../config";
import type { SharedRequest, TaskKind, TaskRequest } from "./task";

/** Keys in Redis start with this. */
export const QUEUE_PREFIX = "model-control";

/** Pulls may take hours: what takes seconds has a lane of its own, and never waits behind them. Answers wait for each other. */
export const LANES = ["pulls", "operations", "inference"] as const;
export type Lane = (typeof LANES)[number];

/** Those that every caller may see. */
export const PUBLIC_LANES = ["pulls", "operations"] as const satisfies readonly Lane[];
/** Lanes of tasks that are one for all who ask for the same. */
export type SharedLane = (typeof PUBLIC_LANES)[number];

/** Operations at the same time, over all replicas: they wait for engines, and take next to nothing here. */
const OPERATIONS = 8;

/** Ended tasks are kept for a day, and a thousand of them at most for each lane and outcome. */
const KEPT = { age: 24 * 3600, count: 1000 };

/** A try of an inference task fails when something did that nobody thought of: engines that fail are its own business. */
const INFERENCE_ATTEMPTS = 3;

/** How every queue is opened. Nobody reads its stream of events but to look for a fault: the latest are enough. */
export const QUEUE_OPTIONS = { prefix: QUEUE_PREFIX, streams: { events: { maxLen: 100 } } } as const;

/** A task that was lost this often has failed: the process that worked on it ended each time. */
export const MOST_LOSSES = 3;

/**
 * A process that is killed renews its locks no more. Its tasks go on elsewhere, or after its restart, within
 * `lockDuration` and two checks: 14 s.
 */
export const STALLED = {
  lockDuration: 6_000,
  stalledInterval: 4_000,
  /** A restart is seldom the fault of a task. But one that ends every process that takes it up must not go on for ever. */
  maxStalledCount: MOST_LOSSES - 1,
  /** Pause after a lost connection, in milliseconds. */
  runRetryDelay: 1_000,
} as const;

export function laneOf(kind: TaskKind): Lane {
  return kind === "inference" ? "inference" : sharedLaneOf(kind);
}

export function sharedLaneOf(kind: SharedRequest["kind"]): SharedLane {
  return kind === "pull" ? "pulls" : "operations";
}

/** What the lanes are told by the configuration. */
export type LaneConfig = Pick<ControlConfig, "pulls" | "inference">;

export function concurrencyOf(lane: Lane, { pulls, inference }: LaneConfig): number {
  switch (lane) {
    case "pulls":
      return pulls.concurrency;
    case "inference":
      return inference?.concurrency ?? 1;
    default:
      return OPERATIONS;
  }
}

/** Tasks with the same key are the same while one of them is unfinished. */
export function deduplicationKey(request: SharedRequest): string {
  switch (request.kind) {
    case "pull":
      return `pull ${request.load ? "and load" : "only"} ${request.model} on ${request.worker ?? "any worker"}`;
    case "load":
      return `load ${request.model}`;
    default:
      return `${request.kind} ${request.worker}`;
  }
}

/** @param place among those that wait; not given: before all that have one. */
export function jobOptions(
  id: string,
  request: TaskRequest,
  { pulls, inference }: LaneConfig,
  place?: number,
): JobsOptions {
  const options = {
    jobId: id,
    backoff: { type: "exponential", delay: pulls.backoffSeconds * 1000, jitter: 0.2 },
    // The reason is kept beside them; they would hold its text once more for every try.
    stackTraceLimit: 0,
  };
  if (request.kind === "inference") {
    // As long as its answers are; there may be as many as there may be answers.
    const kept = { age: inference?.keepSeconds ?? KEPT.age };
    return { ...options, priority: place, attempts: INFERENCE_ATTEMPTS, removeOnComplete: kept, removeOnFail: kept };
  }
  return {
    ...options,
    priority: place,
    deduplication: { id: deduplicationKey(request) },
    attempts: pulls.attempts,
    removeOnComplete: KEPT,
    removeOnFail: KEPT,
  };
}
