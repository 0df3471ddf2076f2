import type { JobsOptions } from "bullmq";
import type { ControlConfig } from "../config";
import type { SharedRequest, TaskKind, TaskRequest } from "./task";

export const QUEUE_PREFIX = "model-control";

/**
 * Pulls may take hours, so short operations have a separate lane. Answers wait only for each other.
 */
export const LANES = ["pulls", "operations", "inference"] as const;
export type Lane = (typeof LANES)[number];

/** Lanes visible to every caller. */
export const PUBLIC_LANES = ["pulls", "operations"] as const satisfies readonly Lane[];
/** Lanes whose equal requests share a task. */
export type SharedLane = (typeof PUBLIC_LANES)[number];

/** Parallel operations over all replicas: they mostly wait for engines. */
const OPERATIONS = 8;

/** Ended tasks are kept for a day, at most a thousand per lane and outcome. */
const KEPT = { age: 24 * 3600, count: 1000 };

/** Attempts after unexpected errors; engine failures are handled separately. */
const INFERENCE_ATTEMPTS = 3;

/** Options of every queue. Events serve debugging only, so few are kept. */
export const QUEUE_OPTIONS = { prefix: QUEUE_PREFIX, streams: { events: { maxLen: 100 } } } as const;

/** Losses after which a task fails: its process ended each time. */
export const MOST_LOSSES = 3;

/**
 * A killed process stops renewing locks; its tasks resume within `lockDuration` and two checks: 14
 * s.
 */
export const STALLED = {
  lockDuration: 6_000,
  stalledInterval: 4_000,
  /** A restart is rarely a task's fault, but one that crashes every process must stop. */
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

/** Unfinished tasks with the same key are one task. */
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

/** @param place undefined: before all tasks with a place. */
export function jobOptions(
  id: string,
  request: TaskRequest,
  { pulls, inference }: LaneConfig,
  place?: number,
): JobsOptions {
  const options = {
    jobId: id,
    backoff: { type: "exponential", delay: pulls.backoffSeconds * 1000, jitter: 0.2 },
    // The task keeps the reason; stack traces would repeat it per attempt.
    stackTraceLimit: 0,
  };
  if (request.kind === "inference") {
    // Kept as long as its answers, without a limit on their number.
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
