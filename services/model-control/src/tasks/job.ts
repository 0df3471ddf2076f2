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

/** What the queue keeps of a task. */
export type TaskData = TaskRequest & {
  /** Somebody wants it to end. Kept with the task, so that every replica and every restart sees it. */
  readonly cancelled?: boolean;
  /** It was cancelled because nobody waited for it. */
  readonly unwanted?: boolean;
  /** Who asked for it. Of inference the store of it knows; a stop or start that somebody asked for has none. */
  readonly owners?: readonly string[];
  /** Only inference tasks asked for it. */
  readonly helper?: boolean;
  /** The trace of the request that made it, as W3C headers. */
  readonly trace?: Readonly<Record<string, string>>;
};

/** The result is the worker that has the model. */
export type TaskJob = Job<TaskData, string | null, TaskKind>;

/** Tells the kind, and so the lane: a task is found without a search. */
export function newTaskId(kind: TaskKind): string {
  return `${kind}-${randomUUID()}`;
}

/** @returns undefined for what is no task's id. */
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

/** The queue's own words for a task that was lost too often. */
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

/** Owners of pulls that were asked for before pulls had owners: all of them take the turns of one. */
const NOBODY_KNOWN: readonly string[] = ["unknown"];

/** Whose turns a task takes; nobody's for one that goes before all turns. Of inference the store of it knows. */
export function ownersOf({ kind, owners }: Pick<TaskData, "kind" | "owners">): readonly string[] {
  return owners ?? (kind === "pull" ? NOBODY_KNOWN : []);
}
