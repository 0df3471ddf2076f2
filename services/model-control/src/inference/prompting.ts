import type { Logger } from "pino";
import type { Fleet, Readiness } from "../fleet/fleet";
import type { FairQueue } from "../tasks/fair-queue";
import type { Slots } from "../tasks/slots";
import type { Tasks } from "../tasks/task";
import { type AttemptSurroundings, isGone, putTo } from "./answering";
import { newFence } from "./fence";
import { Looks } from "./looks";
import { type InferenceObserver, observed } from "./observer";
import { failure } from "./problems";
import type { InferenceTask, Item, StoredItem } from "./record";
import { Unsealable } from "./sealing";

export interface PromptJob {
  readonly id: string;
  readonly index: number;
  /** Position among waiting tasks: see `FairQueue`. */
  readonly place: number;
  readonly task: InferenceTask;
  readonly stored: StoredItem;
  /** Whether the record has a waiting reason. */
  readonly hasStep: boolean;
}

export type PromptEnd =
  | { readonly as: "ended"; readonly item: Item }
  /** Another process owns it, or it was deleted; the queue or next turn resolves it. */
  | { readonly as: "lost" }
  | { readonly as: "notReady"; readonly readiness: Exclude<Readiness, { readonly state: "ready" }> }
  /** All workers with the model failed. */
  | { readonly as: "exhausted" }
  /** The owner has no free slot. */
  | { readonly as: "crowded" };

type AttemptEnd = PromptEnd | { readonly as: "again"; readonly stored: StoredItem };

export interface PromptSurroundings extends AttemptSurroundings {
  readonly fair: FairQueue;
  readonly slots: Slots;
  readonly fleet: Pick<Fleet, "readiness" | "generate">;
  readonly tasks: Pick<Tasks, "wake">;
  readonly observer: InferenceObserver;
}

/** Sends prompts to workers with their model, within the owner's slots. */
export class Prompting {
  private readonly looks: Looks;
  /** Answers in progress per worker, in this process. */
  private readonly load = new Map<string, number>();

  constructor(private readonly surroundings: PromptSurroundings) {
    this.looks = new Looks(surroundings.fleet);
  }

  /**
   * Tries workers until the prompt ends or must wait.
   *
   * @throws the reason of `signal`. In every case, the task may hold a slot until `letGo`.
   */
  async answer(job: PromptJob, signal: AbortSignal, log: Logger): Promise<PromptEnd> {
    const { id, task } = job;
    const tried = new Set<string>();
    let { stored } = job;
    for (;;) {
      const readiness = await this.looks.readiness(task.model, signal);
      if (readiness.state !== "ready") {
        return { as: "notReady", readiness };
      }
      const worker = this.leastLoaded(readiness.workers.filter((one) => !tried.has(one)));
      if (worker === undefined) {
        return { as: "exhausted" };
      }
      if (!(await this.surroundings.slots.take(task.owner, id, task.seconds))) {
        return { as: "crowded" };
      }
      tried.add(worker);
      const end = await this.attempt({ ...job, stored }, worker, signal, log);
      if (end.as !== "again") {
        return end;
      }
      stored = end.stored;
    }
  }

  /** Releases the task's slot to the first waiting task that still exists. */
  async letGo(id: string, owner: string): Promise<void> {
    const { slots, tasks } = this.surroundings;
    await slots.handOn(owner, id, (next) => tasks.wake(next));
  }

  private async attempt(job: PromptJob, worker: string, signal: AbortSignal, log: Logger): Promise<AttemptEnd> {
    const { store, fair, observer } = this.surroundings;
    const { id, index, place, task, stored, hasStep } = job;
    const prompt = await this.prompt(id, index);
    if (prompt === undefined) {
      const item = { ...stored.item, ...failure("unreadable"), endedAt: Date.now() };
      const fence = { current: stored.fence, next: newFence() };
      if ((await store.write(id, index, fence, item)) !== "written") {
        return { as: "lost" };
      }
      observer.answered(observed(task, item));
      return { as: "ended", item };
    }
    await Promise.all([hasStep ? store.note(id, {}) : undefined, store.setWaiting(id, task, false)]);
    // Only once a worker is ready: tasks that wait for a model would delay later ones.
    await fair.begin(place);
    this.load.set(worker, (this.load.get(worker) ?? 0) + 1);
    try {
      const end = await putTo(this.surroundings, { id, index, task, stored, worker, prompt }, signal);
      if (end.as === "retry") {
        log.warn({ prompt: index, worker, code: end.reason }, "an attempt failed before its first token");
        if (isGone(end.reason)) {
          this.looks.forget(task.model);
        }
        return { as: "again", stored: end.stored };
      }
      if (end.as === "ended") {
        observer.answered(observed(task, end.item));
        log.info({ prompt: index, worker, state: end.item.state, reason: end.item.finishReason }, "prompt ended");
      }
      return end;
    } finally {
      this.load.set(worker, (this.load.get(worker) ?? 1) - 1);
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

  /** Worker with the fewest answers from this process. */
  private leastLoaded(workers: readonly string[]): string | undefined {
    const loadOf = (worker: string) => this.load.get(worker) ?? 0;
    return [...workers].sort((a, b) => loadOf(a) - loadOf(b))[0];
  }
}
