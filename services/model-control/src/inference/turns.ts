import type { Logger } from "pino";
import type { InferenceConfig } from "../config";
import { QueueUnavailable } from "../errors";
import type { Readiness } from "../fleet/fleet";
import { CANCELLED, type Tasks } from "../tasks/task";
import { newFence } from "./fence";
import { helpAlong } from "./model-helper";
import { observed } from "./observer";
import { failure, isProblem, PROBLEMS } from "./problems";
import { type PromptEnd, Prompting, type PromptJob, type PromptSurroundings } from "./prompting";
import {
  type InferenceTask,
  type Item,
  isBeingWritten,
  isOpen,
  SILENCE,
  type StoredItem,
  type StoredTask,
} from "./record";

const FORGOTTEN = 'it was deleted, or its lifetime is over ("inference.lifeSeconds")';

export type TurnEnd =
  | { readonly as: "ended"; readonly worker?: string }
  | { readonly as: "failed"; readonly error: string }
  /** Next check, in milliseconds. */
  | { readonly as: "again"; readonly milliseconds: number }
  /** The owner has no free slot: waits until one is released. */
  | { readonly as: "crowded"; readonly owner: string; readonly place: number }
  /** Other tasks precede its next prompt. */
  | { readonly as: "behind"; readonly place: number };

export interface TurnJob {
  readonly id: string;
  /** Position among waiting tasks: see `FairQueue`. */
  readonly place: number;
  /** Percentage of finished prompts. */
  readonly onProgress: (percent: number) => void;
}

interface Surroundings extends PromptSurroundings {
  readonly tasks: Pick<Tasks, "submit" | "find" | "inferenceCounts" | "wake">;
  readonly config: InferenceConfig;
}

/**
 * Processes inference tasks in turns: checks readiness, requests the model if needed, and sends
 * prompts while no other task takes precedence.
 */
export class Turns {
  private readonly prompting: Prompting;

  constructor(private readonly surroundings: Surroundings) {
    this.prompting = new Prompting(surroundings);
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

  /** Cancels unanswered prompts; stops running answers only with `all`. */
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

  /**
   * Suspends the task until its owner has a free slot.
   *
   * @param milliseconds until it checks anyway.
   */
  async waitForSlot(
    id: string,
    { owner, place }: Extract<TurnEnd, { as: "crowded" }>,
    milliseconds: number,
  ): Promise<void> {
    const { slots, tasks } = this.surroundings;
    if (!(await slots.wait(owner, id, place, milliseconds))) {
      await tasks.wake(id);
    }
  }

  /** The queue gave up the task. A cancelled task may be about to record its own end. */
  async abandon(id: string, error: string): Promise<void> {
    const stored = await this.surroundings.store.read(id);
    if (stored === undefined || stored.endedAt !== undefined || stored.items.some(isBeingWritten)) {
      return;
    }
    const rest = await this.close(id, stored, error === CANCELLED ? BY_CANCELLATION : failure("lost"));
    if (!rest) {
      await this.surroundings.store.end(id, stored.task, error);
    }
    await this.prompting.letGo(id, stored.task.owner);
  }

  private async turn(job: TurnJob, signal: AbortSignal, log: Logger): Promise<TurnEnd> {
    const stored = await this.surroundings.store.read(job.id);
    if (stored === undefined) {
      return { as: "failed", error: FORGOTTEN };
    }
    try {
      return stored.endedAt === undefined
        ? await this.goOn(job, stored, signal, log)
        : summary(
            stored.items.map(({ item }) => item),
            stored.error,
          );
    } finally {
      // The slot may be from a process that was killed.
      await this.prompting.letGo(job.id, stored.task.owner);
    }
  }

  private async goOn(
    { id, place, onProgress }: TurnJob,
    stored: StoredTask,
    signal: AbortSignal,
    log: Logger,
  ): Promise<TurnEnd> {
    const { store, fair, tasks } = this.surroundings;
    const { task } = stored;
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
      const job = { id, index, place: nextPlace, task, stored: found, hasStep: stored.step !== undefined };
      const end = await this.prompting.answer(job, signal, log);
      if (end.as !== "ended") {
        return this.brokenOff(job, end, current);
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
   * Resolves answers of processes that ended.
   *
   * @returns true if one is still being written.
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

  /** Returns the task to the queue before its next prompt ends. */
  private async brokenOff(
    { id, task, place }: PromptJob,
    end: Exclude<PromptEnd, { readonly as: "ended" }>,
    current: StoredTask,
  ): Promise<TurnEnd> {
    switch (end.as) {
      case "lost":
        return { as: "again", milliseconds: SILENCE };
      case "notReady":
        return this.waitFor(id, current, end.readiness);
      case "exhausted":
        await this.surroundings.store.setWaiting(id, task, true);
        return this.later();
      case "crowded":
        await this.surroundings.store.setWaiting(id, task, true);
        return { as: "crowded", owner: task.owner, place };
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
    // Counts only while the helper task runs: queueing is not the model's fault.
    const isLast = !("error" in help) && !help.inLine && (await store.countPoll(id)) > polls;
    if ("error" in help || isLast) {
      const error =
        "error" in help
          ? help.error
          : `${task.model} was not ready after ${polls} looks, one in ${seconds} s: ${help.step}`;
      if (await this.close(id, stored, failure("model_not_ready"))) {
        // Another process has started one, and will record the task's result.
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

  /**
   * Ends all open items except those that `isLeft`.
   * @returns whether any stays open.
   */
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
}

const BY_CANCELLATION: Partial<Item> = { state: "cancelled", finishReason: "cancelled" };

/**
 * A task succeeds with one answer; failures are reported per item. Prompts are cancelled only with
 * their task.
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
