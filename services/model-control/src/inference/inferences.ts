import { type Caller, may, ownerOf } from "../auth/callers";
import type { GenerationInput, Sampling } from "../backends/generation";
import type { InferenceConfig } from "../config";
import { ControlError, QueueFull, QueueUnavailable, TooManyQueued, UnknownTask, unknownTask } from "../errors";
import type { FairQueue } from "../tasks/fair-queue";
import { newTaskId } from "../tasks/job";
import { QueueRoom } from "../tasks/queue-room";
import { REDIS_PATIENCE, redisFailure } from "../tasks/redis";
import { CANCELLED, type TaskReport, type Tasks } from "../tasks/task";
import type { Problem } from "./problems";
import { type Item, isBeingWritten, isOpen, type StoredTask } from "./record";
import type { Sealer } from "./sealing";
import type { InferenceStore, Made, NewTask } from "./store";
import type { Turns } from "./turns";

/** Total timeout of a method, in milliseconds. */
const PATIENCE = REDIS_PATIENCE + 300;

/** A caller with more than this share of recent prompts is busy. */
const BUSY_PART = 1 / 3;

/** Request of a caller; the model name is from `parseModelName`. */
export interface InferenceAsk {
  readonly model: string;
  readonly inputs: readonly GenerationInput[];
  readonly maxTokens?: number;
  readonly seconds?: number;
  readonly sampling: Sampling;
  readonly idempotencyKey?: string;
}

export interface ItemReport extends Item {
  /** Undefined before the first token, or if it cannot be decrypted. */
  readonly text?: string;
}

export interface InferenceReport {
  readonly report: TaskReport;
  readonly items: readonly ItemReport[];
  readonly step?: string;
  readonly error?: string;
  readonly expiresAt: Date;
}

export class BeyondLimits extends ControlError {
  readonly status = 422;
  readonly code = "beyond_limits";
}

/** The idempotency key belongs to another request. */
export class KeyReused extends ControlError {
  readonly status = 422;
  readonly code = "idempotency_key_reused";
}

interface Surroundings {
  readonly store: InferenceStore;
  readonly sealer: Sealer;
  readonly fair: FairQueue;
  readonly tasks: Tasks;
  readonly turns: Pick<Turns, "cancel" | "abandon">;
  readonly config: InferenceConfig;
}

/**
 * Inference tasks, visible only to their owners. Methods throw `QueueUnavailable` within two
 * seconds when Redis is unreachable.
 */
export class Inferences {
  private readonly room: QueueRoom;

  constructor(private readonly surroundings: Surroundings) {
    this.room = new QueueRoom(surroundings.tasks);
  }

  /**
   * @returns the task's id.
   * @throws BeyondLimits, KeyReused, TooManyQueued, QueueFull
   */
  async submit(caller: Caller, ask: InferenceAsk): Promise<string> {
    const { config, store } = this.surroundings;
    requireWithin(config, ask);
    return this.ask(async () => {
      const made = this.newTask(caller, ask);
      const created = await this.create(made);
      if (created.as === "full") {
        throw this.full(created.whose);
      }
      const id = created.as === "known" ? created.id : made.id;
      if (created.as === "known" && !created.sameBody) {
        throw new KeyReused("this Idempotency-Key belongs to another request: use a new key for a new request");
      }
      // The process that created a known task may have died before queueing it; queueing again is
      // idempotent.
      const stored = created.as === "known" ? await store.read(id) : made;
      if (stored !== undefined && !("endedAt" in stored && stored.endedAt !== undefined)) {
        await this.enqueue(id, stored.task);
      }
      return id;
    });
  }

  /** @throws UnknownTask for callers other than the owner. */
  async find(caller: Caller | undefined, id: string): Promise<InferenceReport> {
    return this.ask(async () => {
      let { mine, answers, report } = await this.look(caller, id);
      if (mine.endedAt === undefined && hasEnded(report)) {
        if (report.state === "failed") {
          // Applies only if the queue gave up the task without recording it.
          await this.surroundings.turns.abandon(id, report.error ?? "no reason given");
        }
        // It ended between the two reads: reads again for a consistent report.
        ({ mine, answers, report } = await this.look(caller, id));
      }
      return {
        report,
        items: mine.items.map(({ item }, index) => withText(item, answers, index)),
        step: mine.step,
        error: mine.error ?? report.error,
        expiresAt: new Date(Date.now() + Math.max(0, mine.remaining)),
      };
    });
  }

  /** @throws UnknownTask for callers other than the owner. */
  async status(caller: Caller | undefined, id: string): Promise<TaskReport> {
    return this.ask(async () => this.reportOf(id, requireOwn(caller, id, await this.surroundings.store.read(id))));
  }

  /** The caller's tasks, newest first. */
  async recent(caller: Caller | undefined, limit: number): Promise<readonly TaskReport[]> {
    if (caller === undefined) {
      return [];
    }
    return this.ask(async () => {
      const ids = await this.surroundings.store.idsOf(ownerOf(caller), limit);
      const found = await Promise.all(
        ids.map((id) =>
          this.surroundings.store
            .read(id)
            .then((stored) => (stored === undefined ? undefined : this.reportOf(id, stored))),
        ),
      );
      return found.filter((report) => report !== undefined);
    });
  }

  /**
   * Keeps existing answers.
   * @throws UnknownTask for callers other than the owner, TaskFinished
   */
  async cancel(caller: Caller | undefined, id: string): Promise<TaskReport> {
    const { store, tasks, turns } = this.surroundings;
    return this.ask(async () => {
      requireOwn(caller, id, await store.read(id));
      const report = await tasks.cancel(id);
      await turns.cancel(id, "waiting");
      return report;
    });
  }

  /**
   * Deletes prompts and answers at once; cancels running work.
   * @throws UnknownTask for callers other than the owner.
   */
  async forget(caller: Caller | undefined, id: string): Promise<void> {
    const { store, tasks } = this.surroundings;
    await this.ask(async () => {
      const { task } = requireOwn(caller, id, await store.read(id));
      await store.forget(id, task);
      // It may have ended; workers notice the deletion at their next write.
      await tasks.cancel(id).catch((error) => {
        if (!(error instanceof ControlError) || error instanceof QueueUnavailable) {
          throw error;
        }
      });
    });
  }

  /** Record, then state in the queue. */
  private async look(caller: Caller | undefined, id: string) {
    const { store } = this.surroundings;
    const [stored, answers] = await Promise.all([store.read(id), store.answers(id)]);
    const mine = requireOwn(caller, id, stored);
    return { mine, answers, report: await this.reportOf(id, mine) };
  }

  private newTask(caller: Caller, ask: InferenceAsk): NewTask {
    const { config, sealer } = this.surroundings;
    const { model, inputs, sampling, idempotencyKey } = ask;
    const owner = ownerOf(caller);
    const maxTokens = ask.maxTokens ?? config.tokens.default;
    const seconds = ask.seconds ?? config.seconds.default;
    const body = JSON.stringify([model, inputs, sampling, maxTokens, seconds]);
    return {
      id: newTaskId("inference"),
      task: {
        owner,
        model,
        createdAt: Date.now(),
        prompts: inputs.length,
        maxTokens,
        seconds,
        mayPull: may(caller, "pull"),
        mayStart: may(caller, "operate"),
      },
      inputs,
      sampling,
      idempotency:
        idempotencyKey === undefined
          ? undefined
          : { keys: sealer.marks(`key ${owner} ${idempotencyKey}`), bodies: sealer.marks(`body ${body}`) },
    };
  }

  private async enqueue(id: string, task: NewTask["task"]): Promise<void> {
    const { store, fair, tasks } = this.surroundings;
    const { queued } = await tasks.inferenceCounts();
    const place = await fair.place(task.owner, queued === 0);
    await tasks.submitInference({ kind: "inference", id, model: task.model }, place);
    await store.confirm(id, task);
  }

  private async reportOf(id: string, { task, step, endedAt, error, items }: StoredTask): Promise<TaskReport> {
    const report = await this.surroundings.tasks.find(id).catch((problem) => {
      if (problem instanceof UnknownTask) {
        return undefined;
      }
      throw problem;
    });
    const ended = items.filter(({ item }) => !isOpen(item)).length;
    const base: TaskReport = report ?? {
      id,
      kind: "inference",
      model: task.model,
      state: "queued",
      progress: 0,
      attempts: { made: 0, allowed: 1 },
      createdAt: new Date(task.createdAt),
    };
    if (endedAt === undefined) {
      // The queue knows a cancellation before the running answer has ended.
      if (base.state === "failed" && items.some(isBeingWritten)) {
        return { ...base, state: "running", step, error: undefined, finishedAt: undefined };
      }
      return { ...base, step, progress: Math.max(base.progress, Math.floor((ended / items.length) * 100)) };
    }
    // Ended, although its job still waits in the queue.
    const isDone = items.some(({ item }) => item.state === "completed") && error !== CANCELLED;
    return {
      ...base,
      state: isDone ? "completed" : "failed",
      error: isDone ? undefined : (error ?? base.error),
      progress: 100,
      finishedAt: new Date(endedAt),
    };
  }

  /** @throws QueueFull */
  private async create(made: NewTask): Promise<Made> {
    const { store, config } = this.surroundings;
    const { byOwner, byAll } = await store.askedLately(made.task.owner);
    const isBusy = byOwner > config.queuedPerCaller && byOwner > BUSY_PART * byAll;
    const written = await this.room.take(Buffer.byteLength(JSON.stringify(made.inputs)), isBusy ? "busy" : "usual");
    if (written === undefined) {
      const full = "the memory of the queue's server is nearly full";
      throw new QueueFull(
        isBusy
          ? `${full}, and most of it is this caller's: delete tasks that are done with (DELETE /inference/{id}), or try again when they run out ("inference.keepSeconds": ${config.keepSeconds} s)`
          : `${full}: try again when answers have been deleted, or run out`,
      );
    }
    return store.create(made).finally(written);
  }

  private full(whose: "owner" | "all"): ControlError {
    const { queuedPerCaller, queued, wait } = this.surroundings.config;
    return whose === "owner"
      ? new TooManyQueued(
          `${queuedPerCaller} tasks of this caller are unfinished, which is the limit per caller ("inference.queuedPerCaller"): wait for some to end`,
          Math.ceil(wait.seconds),
        )
      : new QueueFull(
          `${queued} tasks are unfinished, which is the limit for all callers ("inference.queued"): try again later`,
        );
  }

  /** @throws QueueUnavailable after the timeout. */
  private async ask<T>(question: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer for ${PATIENCE} ms`)), PATIENCE);
    });
    try {
      return await Promise.race([question(), late]);
    } catch (error) {
      if (error instanceof ControlError) {
        throw error;
      }
      throw new QueueUnavailable(`the task queue cannot be reached: ${redisFailure(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** @param answers by number; undefined if they cannot be decrypted. */
function withText(item: Item, answers: ReadonlyMap<number, string | undefined>, index: number): ItemReport {
  const text = answers.get(index);
  const isUnreadable = text === undefined && answers.has(index);
  return isUnreadable
    ? { ...item, problem: "answer_unreadable" satisfies Problem, detail: undefined }
    : { ...item, text };
}

/** @throws BeyondLimits with all violations. */
export function requireWithin(
  config: InferenceConfig,
  {
    inputs,
    maxTokens = 0,
    seconds = 0,
  }: Pick<InferenceAsk, "maxTokens" | "seconds"> & { readonly inputs: { readonly length: number } },
): void {
  const bounds = [
    ["prompts", inputs.length, config.prompts, "inference.prompts"],
    ["options.max_tokens", maxTokens, config.tokens.max, "inference.tokens.max"],
    ["options.seconds", seconds, config.seconds.max, "inference.seconds.max"],
  ] as const;
  const problems = bounds
    .filter(([, asked, most]) => asked > most)
    .map(([name, asked, most, key]) => `${name}: ${asked}, and ${most} is the most ("${key}")`);
  if (problems.length > 0) {
    throw new BeyondLimits(problems.join("; "));
  }
}

function hasEnded({ state }: TaskReport): boolean {
  return state === "completed" || state === "failed";
}

/** Same error for another owner's task and an unknown one. */
function requireOwn(caller: Caller | undefined, id: string, stored: StoredTask | undefined): StoredTask {
  if (stored === undefined || caller === undefined || ownerOf(caller) !== stored.task.owner) {
    throw unknownTask(id);
  }
  return stored;
}
