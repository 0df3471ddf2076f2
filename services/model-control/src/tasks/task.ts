import { ControlError } from "../errors";

/** What a task does. Pulling and loading work on a model, as inference does; stopping and starting on a worker. */
export const TASK_KINDS = ["pull", "load", "stop", "start", "inference"] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

export const TASK_STATES = ["queued", "running", "completed", "failed"] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** The error of a task that somebody cancelled: its state is `failed`, so that clients need to know four states only. */
export const CANCELLED = "cancelled";

/** The error of a task that only inference tasks had asked for, none of which waits any more. */
export const UNWANTED = "cancelled: nobody waits for it any more";

/** What is to be done. Model names have passed `parseModelName`; workers are configured ones. */
export type TaskRequest = SharedRequest | InferenceRequest;

/** One task for all who ask for the same. */
export type SharedRequest =
  | { readonly kind: "pull"; readonly model: string; readonly load: boolean; readonly worker?: string }
  | { readonly kind: "load"; readonly model: string }
  | { readonly kind: "stop" | "start"; readonly worker: string };

/** Who asks for a task. */
export interface Asker {
  /** See `ownerOf`. */
  readonly owner: string;
  /** An inference task needs it: it is cancelled when none does any more. @default false */
  readonly forInference?: boolean;
}

/** Prompts are with the store of them: the queue knows nothing of what is asked, nor of who asks. */
export interface InferenceRequest {
  readonly kind: "inference";
  readonly model: string;
  /** The task's own, which the store has it under. */
  readonly id: string;
}

/** A task as callers see it. */
export interface TaskReport {
  readonly id: string;
  readonly kind: TaskKind;
  readonly model?: string;
  /** The worker that was asked for; of a completed pull or load, the one that has the model. */
  readonly worker?: string;
  readonly state: TaskState;
  /** Per cent, from 0 to 100; never falls. */
  readonly progress: number;
  /** What an unfinished inference task waits for, in words. */
  readonly step?: string;
  /** Why it failed; while it waits for its next try, why the last one did. */
  readonly error?: string;
  /** Tries that ended, and tries in all. */
  readonly attempts: { readonly made: number; readonly allowed: number };
  readonly createdAt: Date;
  readonly startedAt?: Date;
  readonly finishedAt?: Date;
}

export interface TaskCounts {
  readonly queued: number;
  readonly running: number;
}

/** What the server of the queue takes of its machine's memory. */
export interface QueueMemory {
  readonly usedBytes: number;
  /** From where on it takes no writes any more. 0: no limit. */
  readonly limitBytes: number;
}

/**
 * The tasks of all replicas. Every method throws `QueueUnavailable` within two seconds when the queue cannot be
 * reached; nothing was done then, as far as can be told, and the same call may be made again.
 */
export interface Tasks {
  /**
   * Adds a task, or finds the unfinished one that does the same, which is the asker's as well from then on. Stops and starts that
   * somebody asks for go first, and are never refused; of all others each owner may have so many, and they take turns.
   *
   * @returns its id.
   * @throws TooManyQueued, QueueFull
   */
  submit(request: SharedRequest, asker: Asker): Promise<string>;
  /**
   * Adds an inference task, once for its id.
   *
   * @param place among those that wait, from 1: the lowest goes first.
   */
  submitInference(request: InferenceRequest, place: number): Promise<string>;
  /** @throws UnknownTask */
  find(id: string): Promise<TaskReport>;
  /** The newest first, but for inference, which is its asker's alone. */
  recent(limit: number): Promise<readonly TaskReport[]>;
  /** Ends a task wherever it runs; an ended one stays as it is. @throws UnknownTask, TaskFinished */
  cancel(id: string): Promise<TaskReport>;
  /** A task that waits for its time may run now. @returns false for one that does not wait so. */
  wake(id: string): Promise<boolean>;
  /** Without inference: see `inferenceCounts`. */
  counts(): Promise<TaskCounts>;
  inferenceCounts(): Promise<TaskCounts>;
  /** Answers when the queue does, and can be written to. */
  ping(): Promise<void>;
  memory(): Promise<QueueMemory>;
}

/** The task has ended: there is nothing left to cancel. */
export class TaskFinished extends ControlError {
  readonly status = 409;
  readonly code = "task_finished";
}
