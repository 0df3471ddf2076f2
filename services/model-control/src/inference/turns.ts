import type { Logger } from "pino";
import type { InferenceConfig } from "../config";
import { QueueUnavailable } from "../errors";
import type { Fleet, Readiness } from "../fleet/fleet";
import { CANCELLED, type Tasks } from "../tasks/task";
import { isGone, putTo } from "./answering";
import type { FairQueue } from "./fair-queue";
import { newFence } from "./fence";
import { Looks } from "./looks";
import { helpAlong } from "./model-helper";
import { isProblem, PROBLEMS, type Problem } from "./problems";
import {
  type InferenceTask,
  type Item,
  isBeingWritten,
  isOpen,
  SILENCE,
  type StoredItem,
  type StoredTask,
} from "./record";
import { Unsealable } from "./sealing";
import type { InferenceStore } from "./store";

const FORGOTTEN = 'it was deleted, or its time is over ("inference.lifeSeconds")';

/** What becomes of a task after its turn. */
export type TurnEnd =
  /** All that can be done is done. */
  | { readonly as: "ended"; readonly worker?: string }
  | { readonly as: "failed"; readonly error: string }
  /** It takes no slot for so many milliseconds. */
  | { readonly as: "again"; readonly milliseconds: number }
  /** Others are before its next prompt. */
  | { readonly as: "behind"; readonly place: number };

/** Told what becomes of prompts, for metrics. */
export interface InferenceObserver {
  answered(answer: {
    readonly model: string;
    readonly outcome: string;
    readonly promptTokens?: number;
    readonly completionTokens?: number;
    /** From the task's request to the prompt's last attempt, and from there to its end. */
    readonly waitedSeconds?: number;
    readonly seconds?: number;
  }): void;
}

export interface TurnJob {
  readonly id: string;
  /** Its place among those that wait: see `FairQueue`. */
  readonly place: number;
  /** Per cent of its prompts that have ended. */
  readonly onProgress: (percent: number) => void;
}

interface Surroundings {
  readonly store: InferenceStore;
  readonly fair: FairQueue;
  readonly fleet: Pick<Fleet, "readiness" | "generate">;
  readonly tasks: Pick<Tasks, "submit" | "find" | "inferenceCounts">;
  readonly config: InferenceConfig;
  readonly observer: InferenceObserver;
}

/**
 * Works on inference tasks, a turn at a time: it looks whether the model is ready, has it brought where it is not, and puts
 * the prompts to a worker one after the other, until others are before the next one.
 */
export class Turns {
  private readonly looks: Looks;
  /** Answers of this process that each worker is at. */
  private readonly load = new Map<string, number>();

  constructor(private readonly surroundings: Surroundings) {
    this.looks = new Looks(surroundings.fleet);
  }

  /** @throws the reason of `signal`. */
  async take(job: TurnJob, signal: AbortSignal, log: Logger): Promise<TurnEnd> {
    try {
      return await this.turn(job, signal, log);
    } catch (error) {
      if (signal.aborted) {
        throw signal.reason;
      }
      if (error instanceof QueueUnavailable) {
        log.debug({ reason: error.message }, "a turn was broken off");
        return this.later();
      }
      throw error;
    }
  }

  /** Cancels what has no answer yet; what is being answered is left to whoever does so, unless that was `all`. */
  async cancel(id: string, which: "waiting" | "all"): Promise<void> {
    const { store } = this.surroundings;
    const stored = await store.read(id);
    if (stored === undefined || stored.endedAt !== undefined) {
      return;
    }
    const isLeft = ({ state }: Item) => which === "waiting" && state === "running";
    const rest = await this.close(id, stored, BY_CANCELLATION, isLeft);
    if (!rest) {
      await store.end(id, stored.task, CANCELLED);
    }
  }

  /** The queue has given the task up. One that was cancelled may be about to say so itself. */
  async abandon(id: string, error: string): Promise<void> {
    const stored = await this.surroundings.store.read(id);
    if (stored === undefined || stored.endedAt !== undefined || stored.items.some(isBeingWritten)) {
      return;
    }
    const rest = await this.close(id, stored, error === CANCELLED ? BY_CANCELLATION : failure("lost"));
    if (!rest) {
      await this.surroundings.store.end(id, stored.task, error);
    }
  }

  private async turn({ id, place, onProgress }: TurnJob, signal: AbortSignal, log: Logger): Promise<TurnEnd> {
    const { store, fair, tasks } = this.surroundings;
    const stored = await store.read(id);
    if (stored === undefined) {
      return { as: "failed", error: FORGOTTEN };
    }
    const { task } = stored;
    if (stored.endedAt !== undefined) {
      return summary(
        stored.items.map(({ item }) => item),
        stored.error,
      );
    }
    await store.confirm(id, task);
    const items = [...stored.items];
    const current = { ...stored, items };
    if (await this.settle(id, task, items)) {
      return { as: "again", milliseconds: SILENCE };
    }
    let nextPlace = place;
    for (const [index, found] of items.entries()) {
      if (!isOpen(found.item)) {
        continue;
      }
      signal.throwIfAborted();
      if (nextPlace !== place) {
        const { queued } = await tasks.inferenceCounts();
        if (queued > 0) {
          await store.setWaiting(id, task, true);
          return { as: "behind", place: nextPlace };
        }
      }
      const end = await this.answer({ id, index, place: nextPlace }, found, current, signal, log);
      if (!("item" in end)) {
        return end;
      }
      items[index] = { ...found, item: end.item };
      onProgress(percentOf(items));
      if (items.some(({ item }) => isOpen(item))) {
        nextPlace = await fair.place(task.owner, false);
      }
    }
    const end = summary(items.map(({ item }) => item));
    await store.end(id, task, end.as === "failed" ? end.error : undefined);
    return end;
  }

  /**
   * Decides about answers that another process was at when it ended.
   *
   * @returns true when one of them is still being written.
   */
  private async settle(id: string, task: InferenceTask, items: StoredItem[]): Promise<boolean> {
    const { store, observer } = this.surroundings;
    for (const [index, { item, fence, silence }] of items.entries()) {
      if (item.state !== "running" || !item.begun) {
        continue;
      }
      if (silence < SILENCE) {
        return true;
      }
      const interrupted: Item = {
        ...item,
        ...failure("interrupted"),
        finishReason: "interrupted",
        endedAt: Date.now(),
      };
      const next = newFence();
      if ((await store.write(id, index, { current: fence, next }, interrupted)) !== "written") {
        return true;
      }
      observer.answered(observed(task, interrupted));
      items[index] = { item: interrupted, fence: next, silence: 0 };
    }
    return false;
  }

  /** Puts one prompt to workers until it has ended, as long as that can be done at once. */
  private async answer(
    { id, index, place }: { readonly id: string; readonly index: number; readonly place: number },
    found: StoredItem,
    stored: StoredTask,
    signal: AbortSignal,
    log: Logger,
  ): Promise<{ readonly item: Item } | TurnEnd> {
    const { store, fair, observer } = this.surroundings;
    const { task } = stored;
    let current = found;
    const tried = new Set<string>();
    for (;;) {
      const readiness = await this.looks.readiness(task.model, signal);
      if (readiness.state !== "ready") {
        return this.waitFor(id, stored, readiness);
      }
      const worker = this.choose(readiness.workers.filter((one) => !tried.has(one)));
      if (worker === undefined) {
        await store.setWaiting(id, task, true);
        return this.later();
      }
      tried.add(worker);
      const prompt = await this.prompt(id, index);
      if (prompt === undefined) {
        const item = { ...current.item, ...failure("unreadable"), endedAt: Date.now() };
        const fence = { current: current.fence, next: newFence() };
        if ((await store.write(id, index, fence, item)) !== "written") {
          return { as: "again", milliseconds: SILENCE };
        }
        observer.answered(observed(task, item));
        return { item };
      }
      await Promise.all([
        stored.step === undefined ? undefined : store.note(id, {}),
        store.setWaiting(id, task, false),
      ]);
      // Not before: those that only look for their model would put everybody who comes later behind them.
      await fair.begin(place);
      this.load.set(worker, (this.load.get(worker) ?? 0) + 1);
      try {
        const end = await putTo(this.surroundings, { id, index, task, stored: current, worker, prompt }, signal);
        if (end.as === "lost") {
          // Deleted, cancelled, or somebody else's: the queue, or the next turn, knows.
          return { as: "again", milliseconds: SILENCE };
        }
        if (end.as === "ended") {
          observer.answered(observed(task, end.item));
          log.info({ prompt: index, worker, state: end.item.state, reason: end.item.finishReason }, "prompt ended");
          return { item: end.item };
        }
        log.warn({ prompt: index, worker, code: end.reason }, "an attempt failed before its first token");
        current = end.stored;
        if (isGone(end.reason)) {
          this.looks.forget(task.model);
        }
      } finally {
        this.load.set(worker, (this.load.get(worker) ?? 1) - 1);
      }
    }
  }

  private async prompt(id: string, index: number) {
    try {
      return await this.surroundings.store.prompt(id, index);
    } catch (error) {
      if (error instanceof Unsealable) {
        return undefined;
      }
      throw error;
    }
  }

  private async waitFor(
    id: string,
    stored: StoredTask,
    readiness: Exclude<Readiness, { state: "ready" }>,
  ): Promise<TurnEnd> {
    const { store, tasks, config } = this.surroundings;
    const { task } = stored;
    const help = await helpAlong(tasks, task, readiness, stored.helper);
    const { polls, seconds } = config.wait;
    const isLast = !("error" in help) && (await store.countPoll(id)) > polls;
    if ("error" in help || isLast) {
      const error =
        "error" in help
          ? help.error
          : `${task.model} was not ready after ${polls} looks, one in ${seconds} s: ${help.step}`;
      if (await this.close(id, stored, failure("model_not_ready"))) {
        // Another process has begun with one of them meanwhile: it will say what becomes of the task.
        return { as: "again", milliseconds: SILENCE };
      }
      await store.end(id, task, error);
      return summary(
        stored.items.map(({ item }) => item),
        error,
      );
    }
    await Promise.all([store.note(id, help), store.setWaiting(id, task, true)]);
    return this.later();
  }

  /** Ends all open items but those that `isLeft`. @returns whether any is left open. */
  private async close(
    id: string,
    { task, items }: StoredTask,
    change: Partial<Item>,
    isLeft: (item: Item) => boolean = () => false,
  ): Promise<boolean> {
    const { store, observer } = this.surroundings;
    const left = await Promise.all(
      items.map(async ({ item, fence }, index) => {
        if (!isOpen(item) || isLeft(item)) {
          return isOpen(item);
        }
        const closed: Item = { ...item, ...change, endedAt: Date.now() };
        const written = await store.write(id, index, { current: fence, next: newFence() }, closed);
        if (written === "written") {
          observer.answered(observed(task, closed));
        }
        return written === "taken";
      }),
    );
    return left.includes(true);
  }

  private later(): TurnEnd {
    return { as: "again", milliseconds: this.surroundings.config.wait.seconds * 1000 };
  }

  /** The one that this process has given the least to. */
  private choose(workers: readonly string[]): string | undefined {
    const loadOf = (worker: string) => this.load.get(worker) ?? 0;
    return [...workers].sort((a, b) => loadOf(a) - loadOf(b))[0];
  }
}

const BY_CANCELLATION: Partial<Item> = { state: "cancelled", finishReason: "cancelled" };

function failure(problem: Problem): Partial<Item> {
  return { state: "failed", finishReason: "error", problem };
}

/**
 * One answer is enough for the task to have been done: what failed is told with its item. Prompts are cancelled with their
 * task alone, whichever of them was at an engine then.
 */
function summary(items: readonly Item[], error?: string): Extract<TurnEnd, { as: "ended" | "failed" }> {
  if (items.some(({ state }) => state === "cancelled")) {
    return { as: "failed", error: CANCELLED };
  }
  const worker = items.map((item) => item.worker).findLast((one) => one !== undefined);
  if (items.some(({ state }) => state === "completed")) {
    return { as: "ended", worker };
  }
  const problems = [...new Set(items.flatMap(({ problem, detail }) => detail ?? problem ?? []))];
  const words = problems.map((one) => (isProblem(one) ? PROBLEMS[one] : one)).join("; ");
  return { as: "failed", error: error ?? (words || "no prompt was answered") };
}

function percentOf(items: readonly StoredItem[]): number {
  const open = items.filter(({ item }) => isOpen(item)).length;
  return Math.floor(((items.length - open) / items.length) * 100);
}

function observed({ model, createdAt }: InferenceTask, item: Item): Parameters<InferenceObserver["answered"]>[0] {
  const { finishReason = "error", promptTokens, completionTokens, startedAt, endedAt, worker } = item;
  const isTimed = startedAt !== undefined && endedAt !== undefined;
  return {
    // Anybody may ask for names that no worker has: they must not become series of their own.
    model: worker === undefined ? "" : model,
    outcome: finishReason,
    promptTokens,
    completionTokens,
    waitedSeconds: startedAt === undefined ? undefined : Math.max(0, startedAt - createdAt) / 1000,
    seconds: isTimed ? Math.max(0, endedAt - startedAt) / 1000 : undefined,
  };
}
