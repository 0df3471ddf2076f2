/** Message of an error; messages of all errors of an aggregate. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) {
    return error.errors.map(messageOf).join("; ");
  }
  return error instanceof Error ? error.message : String(error);
}

/** Error for the caller, with an HTTP status and a stable code. */
export abstract class ControlError extends Error {
  abstract readonly status: number;
  abstract readonly code: string;
  /** Whether an unchanged request may succeed later. */
  readonly retryable: boolean = false;
}

/** Name violates the grammar, or its registry is not allowed. */
export class InvalidModelName extends ControlError {
  readonly status = 422;
  readonly code = "invalid_model_name";
}

export class UnknownModel extends ControlError {
  readonly status = 404;
  readonly code = "unknown_model";
}

/** On the worker's disk, but unloaded since the last check. */
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

/** Same message for expired, unknown and inaccessible tasks. */
export function unknownTask(id: string): UnknownTask {
  return new UnknownTask(
    `there is no task ${JSON.stringify(id.slice(0, 100))}; ended tasks are kept for a limited time`,
  );
}

/** The engine does not support this at run time for any model. */
export class NotSupported extends ControlError {
  readonly status = 409;
  readonly code = "not_supported";
}

/** The configuration requires the model: it cannot be deleted as a side effect. */
export class ModelPinned extends ControlError {
  readonly status = 409;
  readonly code = "model_pinned";
}

/** No worker has room, even after all possible evictions; the message states the shortage. */
export class NoRoom extends ControlError {
  readonly status = 507;
  readonly code = "no_room";
}

/** The worker is stopped or stopping. */
export class WorkerStopped extends ControlError {
  readonly status = 409;
  readonly code = "worker_stopped";
}

/** Another operation on the worker exceeds the caller's wait time. */
export class WorkerBusy extends ControlError {
  readonly status = 503;
  readonly code = "worker_busy";
  override readonly retryable = true;
}

/** The engine refused or failed a request; carries its message. */
export class EngineRefusal extends ControlError {
  readonly status = 502;
  readonly code = "engine_refusal";
  override readonly retryable: boolean;

  /** Error status of the engine's response. */
  readonly answered?: number;

  /** @param retryable true for an external, temporary cause, such as an unreachable registry. */
  constructor(
    message: string,
    { retryable = false, answered }: { readonly retryable?: boolean; readonly answered?: number } = {},
  ) {
    super(message);
    this.retryable = retryable;
    this.answered = answered;
  }
}

/** The engine is unreachable, or failed. */
export class EngineUnavailable extends ControlError {
  readonly status = 503;
  readonly code = "engine_unavailable";
  override readonly retryable = true;
}

/** The Redis or Valkey of tasks and fleet state is unreachable. */
export class QueueUnavailable extends ControlError {
  readonly status = 503;
  readonly code = "queue_unavailable";
  override readonly retryable = true;
}

/** The caller reached its limit of unfinished tasks. */
export class TooManyQueued extends ControlError {
  readonly status = 429;
  readonly code = "too_many_queued";
  override readonly retryable = true;

  /** @param seconds before a retry. */
  constructor(
    message: string,
    readonly seconds: number,
  ) {
    super(message);
  }
}

/** The queue is full, by tasks or by prompt size. */
export class QueueFull extends ControlError {
  readonly status = 503;
  readonly code = "queue_full";
  override readonly retryable = true;
}
