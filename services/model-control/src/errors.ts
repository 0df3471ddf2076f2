/** What an error says; of several at once, what each of them says. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) {
    return error.errors.map(messageOf).join("; ");
  }
  return error instanceof Error ? error.message : String(error);
}

/** Something that the caller is told in words: each kind has its HTTP status and a stable code. */
export abstract class ControlError extends Error {
  abstract readonly status: number;
  abstract readonly code: string;
  /** Whether the same request may work later without a change. */
  readonly retryable: boolean = false;
}

/** The name breaks the registry's grammar, or names a registry that is not allowed. */
export class InvalidModelName extends ControlError {
  readonly status = 422;
  readonly code = "invalid_model_name";
}

export class UnknownModel extends ControlError {
  readonly status = 404;
  readonly code = "unknown_model";
}

/** It is on the worker's disk, and has left its memory since somebody looked. */
export class ModelNotLoaded extends ControlError {
  readonly status = 503;
  readonly code = "model_not_loaded";
  override readonly retryable = true;
}

export class UnknownWorker extends ControlError {
  readonly status = 404;
  readonly code = "unknown_worker";
}

export class UnknownTask extends ControlError {
  readonly status = 404;
  readonly code = "unknown_task";
}

/** In the same words for a task that was, that never was, and that is not the caller's to see. */
export function unknownTask(id: string): UnknownTask {
  return new UnknownTask(`there is no task ${JSON.stringify(id.slice(0, 100))}; ended tasks are kept for a time`);
}

/** The engine cannot do this at run time, whatever the model. */
export class NotSupported extends ControlError {
  readonly status = 409;
  readonly code = "not_supported";
}

/** The model is one that the configuration counts on: nobody deletes it in passing. */
export class ModelPinned extends ControlError {
  readonly status = 409;
  readonly code = "model_pinned";
}

/** No worker has room, even after everything that may leave has left; the message says which number is short. */
export class NoRoom extends ControlError {
  readonly status = 507;
  readonly code = "no_room";
}

/** The worker is being stopped, or is stopped. */
export class WorkerStopped extends ControlError {
  readonly status = 409;
  readonly code = "worker_stopped";
}

/** Another operation on the same worker takes longer than the caller waits. */
export class WorkerBusy extends ControlError {
  readonly status = 503;
  readonly code = "worker_busy";
  override readonly retryable = true;
}

/** The engine said no, or failed at what it was asked to do, in its own words. */
export class EngineRefusal extends ControlError {
  readonly status = 502;
  readonly code = "engine_refusal";
  override readonly retryable: boolean;

  /** The status of the engine's answer, where it is one that refuses. */
  readonly answered?: number;

  /** @param retryable true when the reason lies outside the engine and may pass, as a registry that does not answer. */
  constructor(
    message: string,
    { retryable = false, answered }: { readonly retryable?: boolean; readonly answered?: number } = {},
  ) {
    super(message);
    this.retryable = retryable;
    this.answered = answered;
  }
}

/** The engine cannot be reached, or failed. */
export class EngineUnavailable extends ControlError {
  readonly status = 503;
  readonly code = "engine_unavailable";
  override readonly retryable = true;
}

/** The Redis or Valkey that holds the tasks and the state of the fleet cannot be reached. */
export class QueueUnavailable extends ControlError {
  readonly status = 503;
  readonly code = "queue_unavailable";
  override readonly retryable = true;
}

/** The caller has as many unfinished tasks as one caller may have. */
export class TooManyQueued extends ControlError {
  readonly status = 429;
  readonly code = "too_many_queued";
  override readonly retryable = true;

  /** @param seconds after which the same request may be made again. */
  constructor(
    message: string,
    readonly seconds: number,
  ) {
    super(message);
  }
}

/** The queue has no room for another task, or for its prompts. */
export class QueueFull extends ControlError {
  readonly status = 503;
  readonly code = "queue_full";
  override readonly retryable = true;
}
