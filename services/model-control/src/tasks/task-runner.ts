import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { DelayedError, Queue, UnrecoverableError, WaitingError, Worker } from "bullmq";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { ControlError, messageOf } from "../errors";
import type { Fleet } from "../fleet/fleet";
import type { Turns } from "../inference/turns";
import { LONGEST_REASON, shortened } from "../words";
import { afterTurn, TurnFailed } from "./after-turn";
import { ownersOf, progressOf, type TaskData, type TaskJob } from "./job";
import {
  concurrencyOf,
  LANES,
  type Lane,
  type LaneConfig,
  laneOf,
  QUEUE_OPTIONS,
  QUEUE_PREFIX,
  type SharedLane,
  STALLED,
} from "./lanes";
import { mustWait } from "./lost-tasks";
import { ProgressTeller } from "./progress";
import { Cancelled, LockLost, ShuttingDown, TookTooLong, TurnOver } from "./stop-reasons";
import { takeBack } from "./take-back";
import { CANCELLED, type TaskKind } from "./task";
import { TaskTurns } from "./task-turns";
import { watchFor } from "./watch-for";

/** Polling interval of cancellations on any replica, in milliseconds. */
const CANCEL_CHECK = 500;

/** Polling interval of waiting tasks after a pull's turn, in milliseconds. */
const TURN_CHECK = 2_000;

/** Minimum delay of a task that yields to others, in milliseconds. */
const WAIT_FOR_OTHERS = 1_000;

/** Shutdown wait for running tasks, in milliseconds. */
const CLOSE_PATIENCE = 8_000;

export type TaskOutcome = "completed" | "failed" | "cancelled";

export interface TaskObserver {
  /** @param seconds from request to end, including waits and all attempts. */
  finished(kind: TaskKind, outcome: TaskOutcome, seconds: number): void;
  attemptFailed(kind: TaskKind): void;
}

interface Surroundings {
  readonly fleet: Fleet;
  /** Connection that waits for Redis: see `redisForWork`. */
  readonly redis: Redis;
  readonly config: LaneConfig;
  /** Set with asynchronous inference. */
  readonly turns?: Turns;
  readonly observer: TaskObserver;
  readonly log: Logger;
}

type LaneWorker = Worker<TaskData, string | null, TaskKind>;
type LaneQueue = Queue<TaskData, string | null, TaskKind>;

/** Runs queued tasks, within the concurrency over all replicas. */
export class TaskRunner {
  private readonly workers: readonly LaneWorker[];
  private readonly queues: Readonly<Record<Lane, LaneQueue>>;
  private readonly turns: Readonly<Record<SharedLane, TaskTurns>>;
  private readonly running = new Map<string, AbortController>();
  private readonly tracer = trace.getTracer("model-control");

  constructor(private readonly surroundings: Surroundings) {
    this.queues = {
      pulls: this.openLane("pulls"),
      operations: this.openLane("operations"),
      inference: this.openLane("inference"),
    };
    const { turns, redis, config } = this.surroundings;
    const turnsOf = (lane: SharedLane) => new TaskTurns(redis, lane, config, this.queues[lane]);
    this.turns = { pulls: turnsOf("pulls"), operations: turnsOf("operations") };
    this.workers = LANES.filter((lane) => lane !== "inference" || turns !== undefined).map((lane) =>
      this.startLane(lane),
    );
  }

  /** Stops accepting tasks and releases running ones for other processes. */
  async close(): Promise<void> {
    const closed = Promise.all(this.workers.map((worker) => worker.close())).then(() =>
      Promise.all(LANES.map((lane) => this.queues[lane].close())),
    );
    for (const controller of this.running.values()) {
      controller.abort(new ShuttingDown("the API is shutting down"));
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_PATIENCE + (this.surroundings.config.inference?.drainSeconds ?? 0) * 1000);
    });
    await Promise.race([closed, late]);
    clearTimeout(timer);
  }

  private openLane(lane: Lane): LaneQueue {
    const { redis, log } = this.surroundings;
    const queue: LaneQueue = new Queue(lane, { connection: redis, ...QUEUE_OPTIONS });
    queue.on("error", (error) => logProblem(log, lane, error));
    return queue;
  }

  private startLane(lane: Lane): LaneWorker {
    const { redis, config, observer, log } = this.surroundings;
    const worker: LaneWorker = new Worker(lane, (job: TaskJob, token?: string) => this.process(job, token), {
      ...STALLED,
      connection: redis,
      prefix: QUEUE_PREFIX,
      concurrency: concurrencyOf(lane, config),
    });
    worker.on("error", (error) => logProblem(log, lane, error));
    worker.on("stalled", (task) => log.warn({ task }, "a task goes on that another process left"));
    worker.on("lockRenewalFailed", (ids) => {
      for (const id of ids) {
        this.running.get(id)?.abort(new LockLost(`task ${id} went to another process`));
      }
    });
    worker.on("completed", (job) => observer.finished(job.name, "completed", lifetime(job)));
    worker.on("failed", (job, error) => {
      if (job === undefined) {
        return;
      }
      const ended = job.finishedOn !== undefined;
      if (ended) {
        this.settle(job, error);
        observer.finished(job.name, error.message === CANCELLED ? "cancelled" : "failed", lifetime(job));
      } else {
        observer.attemptFailed(job.name);
      }
    });
    return worker;
  }

  /** Tasks that the queue gave up must end in the store too. */
  private settle(job: TaskJob, error: Error): void {
    const { turns, log } = this.surroundings;
    const { id = "", data } = job;
    if (data.kind !== "inference") {
      // The slot may be from a process that died.
      void this.turnsOf(job)?.leave(job);
      return;
    }
    turns?.abandon(id, error.message).catch((problem) => {
      log.warn(
        { task: id, reason: messageOf(problem) },
        "a task that failed was not closed: its asker's next look does so",
      );
    });
  }

  private async process(job: TaskJob, token: string | undefined): Promise<string | null> {
    const { data } = job;
    const log = this.surroundings.log.child({ task: job.id, kind: data.kind, ...subjectOf(data) });
    if (job.stalledCounter > 0) {
      // Releases the dead process's slot: untried tasks, which may go first, wait for it.
      await this.turnsOf(job)?.leave(job);
    }
    if (data.cancelled !== true && (await mustWait(job, this.queues[laneOf(data.kind)]).catch(() => false))) {
      log.debug({ losses: job.stalledCounter }, "a task that was lost waits for others");
      // Randomized, or two tasks could yield to each other forever.
      await job.moveToDelayed(Date.now() + WAIT_FOR_OTHERS * (1 + Math.random()), token);
      throw new DelayedError();
    }
    const turns = data.cancelled ? undefined : this.turnsOf(job);
    if (turns !== undefined && !(await turns.enter(job))) {
      log.debug("a task waits for another one of its owner");
      await turns.wait(job, token);
      throw new DelayedError();
    }
    try {
      const result = await this.inSpan(job, token, log);
      await turns?.leave(job);
      return result;
    } catch (error) {
      // Otherwise its next process reuses the slot.
      if (!(error instanceof WaitingError || error instanceof LockLost)) {
        await turns?.leave(job);
      }
      throw error;
    }
  }

  private turnsOf({ data: { kind } }: TaskJob): TaskTurns | undefined {
    const lane = laneOf(kind);
    return lane === "inference" ? undefined : this.turns[lane];
  }

  private async inSpan(job: TaskJob, token: string | undefined, log: Logger): Promise<string | null> {
    const { data } = job;
    const parent = propagation.extract(context.active(), data.trace ?? {});
    const options = { kind: SpanKind.CONSUMER, attributes: { "task.id": job.id, ...subjectOf(data) } };
    return this.tracer.startActiveSpan(`task ${data.kind}`, options, parent, async (span) => {
      // Inference tasks take a turn every few seconds while they wait for a model.
      const level = data.kind === "inference" ? "debug" : "info";
      const owners = data.kind === "inference" ? undefined : ownersOf(data);
      log[level]({ attempt: job.attemptsMade + 1, allowed: job.opts.attempts, owners }, "task started");
      try {
        const result = await this.attempt(job, token);
        log.info({ worker: result ?? undefined, milliseconds: Date.now() - job.timestamp }, "task completed");
        return result;
      } catch (error) {
        if (isMoved(error)) {
          throw error;
        }
        span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
        return await this.end(job, token, error, log);
      } finally {
        span.end();
      }
    });
  }

  /**
   * One attempt, until done or interrupted.
   * @throws the abort reason, whatever the work throws.
   */
  private async attempt(job: TaskJob, token: string | undefined): Promise<string | null> {
    if (job.data.cancelled) {
      throw new Cancelled();
    }
    const id = job.id ?? "";
    const controller = new AbortController();
    const { timeoutSeconds, turnSeconds } = this.surroundings.config.pulls;
    const late = new TookTooLong(`it took longer than ${timeoutSeconds} s ("pulls.timeoutSeconds")`);
    // Answers have separate limits.
    const timeout =
      job.data.kind === "inference" ? undefined : setTimeout(() => controller.abort(late), timeoutSeconds * 1000);
    const stopWatching = watchFor(
      () => this.isCancelled(job),
      () => controller.abort(new Cancelled()),
      { first: CANCEL_CHECK, every: CANCEL_CHECK },
    );
    // A pull resumes from what the engine has fetched.
    const turn =
      job.data.kind === "pull"
        ? watchFor(
            () => this.turns.pulls.othersWait(job),
            () => controller.abort(new TurnOver("pulls of other callers wait")),
            { first: turnSeconds * 1000, every: TURN_CHECK },
          )
        : undefined;
    this.running.set(id, controller);
    try {
      return await this.work(job, token, controller);
    } catch (error) {
      if (isMoved(error)) {
        throw error;
      }
      throw controller.signal.aborted ? controller.signal.reason : error;
    } finally {
      clearTimeout(timeout);
      stopWatching();
      turn?.();
      if (this.running.get(id) === controller) {
        this.running.delete(id);
      }
    }
  }

  /** Reads the task again: any replica may have cancelled it. */
  private async isCancelled({ id = "", data }: TaskJob): Promise<boolean> {
    const job = (await this.queues[laneOf(data.kind)].getJob(id)) as TaskJob | undefined;
    return job?.data.cancelled === true;
  }

  private async work(job: TaskJob, token: string | undefined, controller: AbortController): Promise<string | null> {
    const { signal } = controller;
    const { fleet, log } = this.surroundings;
    const { data } = job;
    const teller = new ProgressTeller(
      (percent) => {
        job.updateProgress(percent).catch((error) => log.debug({ error }, "progress was not recorded"));
      },
      { start: progressOf(job), intervalMs: 500 },
    );
    switch (data.kind) {
      case "pull":
      case "load":
        return fleet.pull(
          data.model,
          {
            load: data.kind === "load" || data.load,
            worker: data.kind === "pull" ? data.worker : undefined,
            onProgress: (progress) => teller.report(progress),
            // Final check: a cancellation since the last one was confirmed to its caller.
            confirm: async () => {
              if (await this.isCancelled(job)) {
                controller.abort(new Cancelled());
              }
            },
          },
          signal,
        );
      case "stop":
        await fleet.stop(data.worker, signal);
        return null;
      case "start":
        await fleet.start(data.worker, signal);
        return null;
      case "inference":
        return this.turn(job, token, signal);
    }
  }

  private async turn(job: TaskJob, token: string | undefined, signal: AbortSignal): Promise<string | null> {
    const { turns, log } = this.surroundings;
    if (turns === undefined) {
      throw new Error("asynchronous inference is not configured");
    }
    const { id = "", priority } = job;
    const onProgress = (percent: number) => {
      job.updateProgress(percent).catch((error) => log.debug({ error }, "progress was not recorded"));
    };
    const end = await turns.take({ id, place: priority, onProgress }, signal, log.child({ task: id }));
    return afterTurn(job, token, end, turns);
  }

  /** Reports an unfinished task to the queue. Always throws, as the queue requires. */
  private async end(job: TaskJob, token: string | undefined, error: unknown, log: Logger): Promise<never> {
    if (error instanceof ShuttingDown || error instanceof TurnOver) {
      if (error instanceof TurnOver) {
        await this.turnsOf(job)?.yield(job);
      }
      log.info({ reason: error.message }, "task goes back to the queue");
      await job.moveToWait(token);
      // A returned task is noticed only after seconds, but a new place at once (bullmq 6.7.0,
      // pushBackJobWithPriority).
      if (job.priority > 0) {
        await job.changePriority({ priority: job.priority });
      }
      throw new WaitingError();
    }
    if (error instanceof TurnFailed) {
      log.warn({ reason: error.message }, "task failed");
      throw new UnrecoverableError(shortened(error.message, LONGEST_REASON));
    }
    if (error instanceof Cancelled) {
      const { fleet, turns } = this.surroundings;
      await takeBack(job, { fleet, turns, pulls: this.queues.pulls }).catch((problem) => {
        log.warn({ reason: messageOf(problem) }, "what the cancelled task left was not taken back");
      });
      log.info("task cancelled");
      throw new UnrecoverableError(CANCELLED);
    }
    if (error instanceof ControlError) {
      log.warn({ code: error.code, reason: error.message, retryable: error.retryable }, "task failed");
      const reason = shortened(error.message, LONGEST_REASON);
      throw error.retryable ? new Error(reason) : new UnrecoverableError(reason);
    }
    if (error instanceof TookTooLong || error instanceof LockLost) {
      log.warn({ reason: error.message }, "task failed");
      throw error;
    }
    // The message is for the log, not for callers.
    log.error({ error }, "task failed unexpectedly");
    throw new Error(`internal error; the log of the model control API has the details under task ${job.id}`);
  }
}

/** The task is back in the queue. */
function isMoved(error: unknown): boolean {
  return error instanceof DelayedError || error instanceof WaitingError;
}

/** Lost connections are logged once by their owner, not per reconnect. */
function logProblem(log: Logger, lane: Lane, error: Error): void {
  const level = "syscall" in error || error.message.includes("Connection is closed") ? "debug" : "warn";
  log[level]({ lane, reason: error.message }, "the task queue reports a problem");
}

function subjectOf(data: TaskData): { model?: string; worker?: string } {
  return { ...("model" in data ? { model: data.model } : {}), ...("worker" in data ? { worker: data.worker } : {}) };
}

function lifetime(job: TaskJob): number {
  return Math.max(0, (job.finishedOn ?? Date.now()) - job.timestamp) / 1000;
}
