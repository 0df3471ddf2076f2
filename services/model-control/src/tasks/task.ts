import { ControlError } from "../errors";

/** Kind of a task. Pull, load and inference act on a model; stop and start on a worker. */
export const TASK_KINDS = ["pull", "load", "stop", "start", "inference"] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

export const TASK_STATES = ["queued", "running", "completed", "failed"] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** Error of a cancelled task. Its state is `failed`, so clients need only four states. */
export const CANCELLED = "cancelled";

/** Error of a helper task that no inference task waits for. */
export const UNWANTED = "cancelled: no request waits for it";

/** Model names are from `parseModelName`; workers are configured. */
export type TaskRequest = SharedRequest | InferenceRequest;

/** One task for all equal requests. */
export type SharedRequest =
  | { readonly kind: "pull"; readonly model: string; readonly load: boolean; readonly worker?: string }
  | { readonly kind: "load"; readonly model: string }
  | { readonly kind: "stop" | "start"; readonly worker: string };

export interface Asker {
  /** See `ownerOf`. */
  readonly owner: string;
  /** Requested for an inference task; cancelled when none waits for it. @default false */
  readonly forInference?: boolean;
}

/** Prompts and owner are only in the inference store, not in the queue. */
export interface InferenceRequest {
  readonly kind: "inference";
  readonly model: string;
  /** Id in the inference store. */
  readonly id: string;
}

export interface TaskReport {
  readonly id: string;
  readonly kind: TaskKind;
  readonly model?: string;
  /** Requested worker; for a completed pull or load, the one with the model. */
  readonly worker?: string;
  readonly state: TaskState;
  /** Percentage from 0 to 100; never falls. */
  readonly progress: number;
  /** What an unfinished inference task waits for. */
  readonly step?: string;
  /** Why it failed; between attempts, why the last one did. */
  readonly error?: string;
  /** Finished attempts, and maximum. */
  readonly attempts: { readonly made: number; readonly allowed: number };
  readonly createdAt: Date;
  readonly startedAt?: Date;
  readonly finishedAt?: Date;
}

export interface TaskCounts {
  readonly queued: number;
  readonly running: number;
}

export interface QueueMemory {
  readonly usedBytes: number;
  /** Limit for writes. 0: none. */
  readonly limitBytes: number;
}

/**
 * Tasks of all replicas. Methods throw `QueueUnavailable` within two seconds when the queue is
 * unreachable; calls can be repeated.
 */
export interface Tasks {
  /**
   * Adds a task, or joins an equal unfinished one. Users' stops and starts have priority and are
   * never refused; other tasks are limited per owner and take turns.
   *
   * @returns its id.
   * @throws TooManyQueued, QueueFull
   */
  submit(request: SharedRequest, asker: Asker): Promise<string>;
  /**
   * Adds an inference task, once per id.
   *
   * @param place in the queue, from 1: lowest first.
   */
  submitInference(request: InferenceRequest, place: number): Promise<string>;
  /** @throws UnknownTask */
  find(id: string): Promise<TaskReport>;
  /** Newest first, without inference, which only owners see. */
  recent(limit: number): Promise<readonly TaskReport[]>;
  /**
   * Cancels a task on any replica; an ended one stays unchanged.
   * @throws UnknownTask, TaskFinished
   */
  cancel(id: string): Promise<TaskReport>;
  /**
   * Runs a delayed task now.
   * @returns false for a task that is not delayed.
   */
  wake(id: string): Promise<boolean>;
  /** Without inference: see `inferenceCounts`. */
  counts(): Promise<TaskCounts>;
  inferenceCounts(): Promise<TaskCounts>;
  /** Resolves when the queue answers and accepts writes. */
  ping(): Promise<void>;
  memory(): Promise<QueueMemory>;
}

/** The task has ended, so it cannot be cancelled. */
export class TaskFinished extends ControlError {
  readonly status = 409;
  readonly code = "task_finished";
}
