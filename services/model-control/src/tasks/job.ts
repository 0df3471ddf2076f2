import { randomUUID } from "node:crypto";
import type { Job, JobState } from "bullmq";
import { LONGEST_REASON, shortened } from "../words";
import { type Lane, laneOf, MOST_LOSSES } from "./lanes";
import {
  CANCELLED,
  TASK_KINDS,
  type TaskKind,
  type TaskReport,
  type TaskRequest,
  type TaskState,
  UNWANTED,
} from "./task";

export type TaskData = TaskRequest & {
  /** Cancellation request. Stored with the task, for all replicas and restarts. */
  readonly cancelled?: boolean;
  /** Cancelled as no task waited for it. */
  readonly unwanted?: boolean;
  /** Owners; the inference store has those of inference. Absent for stops and starts by users. */
  readonly owners?: readonly string[];
  /** Requested only by inference tasks. */
  readonly helper?: boolean;
  /** Trace of the creating request, as W3C headers. */
  readonly trace?: Readonly<Record<string, string>>;
};

/** The result is the worker that has the model. */
export type TaskJob = Job<TaskData, string | null, TaskKind>;

/** Contains the kind, which gives the lane without a search. */
export function newTaskId(kind: TaskKind): string {
  return `${kind}-${randomUUID()}`;
}

/** @returns undefined for an invalid id. */
export function laneOfId(id: string): Lane | undefined {
  const [, kind] = /^([a-z]+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(id) ?? [];
  const known = TASK_KINDS.find((candidate) => candidate === kind);
  return known === undefined ? undefined : laneOf(known);
}

export function reportOf(job: TaskJob, jobState: JobState): TaskReport {
  const { data } = job;
  const cancelled = data.cancelled === true && jobState !== "completed";
  const state = cancelled ? "failed" : stateOf(jobState);
  return {
    id: job.id ?? "",
    kind: data.kind,
    model: "model" in data ? data.model : undefined,
    worker: job.returnvalue ?? ("worker" in data ? data.worker : undefined),
    state,
    progress: state === "completed" ? 100 : progressOf(job),
    error: cancelled ? (data.unwanted ? UNWANTED : CANCELLED) : state === "completed" ? undefined : reasonOf(job),
    attempts: { made: job.attemptsMade, allowed: job.opts.attempts ?? 1 },
    createdAt: new Date(job.timestamp),
    startedAt: job.processedOn === undefined ? undefined : new Date(job.processedOn),
    finishedAt: job.finishedOn === undefined ? undefined : new Date(job.finishedOn),
  };
}

/** The queue's message for a task lost too often. */
const LOST = "job stalled more than allowable limit";

function reasonOf({ failedReason }: TaskJob): string | undefined {
  if (failedReason !== LOST) {
    return failedReason ? shortened(failedReason, LONGEST_REASON) : undefined;
  }
  return `the process that worked on it ended, ${MOST_LOSSES} times: see the log before the last restarts, and ask again when the cause is gone`;
}

export function progressOf(job: Pick<TaskJob, "progress">): number {
  return typeof job.progress === "number" ? job.progress : 0;
}

function stateOf(state: JobState): TaskState {
  if (state === "completed" || state === "failed") {
    return state;
  }
  return state === "active" ? "running" : "queued";
}

/** Owner of pulls created before pulls had owners; they share its turns. */
const NOBODY_KNOWN: readonly string[] = ["unknown"];

/**
 * Owners whose turns a task uses; none for priority tasks. The inference store has those of
 * inference.
 */
export function ownersOf({ kind, owners }: Pick<TaskData, "kind" | "owners">): readonly string[] {
  return owners ?? (kind === "pull" ? NOBODY_KNOWN : []);
}
