import { consumerOf } from "../auth/callers";
import type { GenerationInput, Sampling } from "../backends/generation";
import type { InferenceConfig } from "../config";
import {
  ControlError,
  EngineRefusal,
  EngineUnavailable,
  ModelNotLoaded,
  NotSupported,
  UnknownModel,
  UnknownWorker,
} from "../errors";
import type { Fleet } from "../fleet/fleet";
import { Cancelled, ShuttingDown } from "../tasks/stop-reasons";
import { AnswerWriter, ItemLost } from "./answer-writer";
import { type AnswerEnd, type Cut, readWithin } from "./limits";
import type { Problem } from "./problems";
import type { FinishReason, InferenceTask, Item, StoredItem } from "./record";
import type { InferenceStore } from "./store";

/** Result of an attempt. `retry`: may be retried. `lost`: another process owns it. */
export type AttemptEnd =
  | { readonly as: "ended"; readonly item: Item }
  | { readonly as: "retry"; readonly stored: StoredItem; readonly reason: string }
  | { readonly as: "lost" };

export interface Attempt {
  readonly id: string;
  readonly index: number;
  readonly task: InferenceTask;
  readonly stored: StoredItem;
  readonly worker: string;
  readonly prompt: { readonly input: GenerationInput; readonly sampling: Sampling };
}

export interface AttemptSurroundings {
  readonly store: InferenceStore;
  readonly fleet: Pick<Fleet, "generate">;
  readonly config: Pick<InferenceConfig, "idleSeconds" | "answerBytes" | "attempts" | "drainSeconds">;
}

/** Finish reasons of usable answers. */
const WHOLE: readonly FinishReason[] = ["stop", "length", "time_limit", "size_limit"];

/**
 * Sends a prompt to a worker. Retries, in any process, are possible only before the first token.
 *
 * @throws the reason of `signal` on abort before the first token; the item waits again. Later, a
 *   cancelled answer ends at once, and a process that stops allows `drainSeconds`.
 */
export async function putTo(
  { store, fleet, config }: AttemptSurroundings,
  { id, index, task, stored, worker, prompt }: Attempt,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const attempts = stored.item.attempts + 1;
  const claimed: Item = { ...stored.item, state: "running", attempts, begun: false, worker, startedAt: Date.now() };
  const writer = new AnswerWriter(store, id, index, stored.fence, claimed);
  const inner = new AbortController();
  const linked = link(signal, inner, () => writer.hasBegun, config.drainSeconds);
  const unlost = writer.onLost((reason) => inner.abort(reason));
  const again = async (reason: string): Promise<AttemptEnd> => {
    const item: Item = { ...stored.item, state: "waiting", attempts, begun: false, worker };
    await writer.end(item);
    return { as: "retry", stored: { item, fence: writer.fence, silence: 0 }, reason };
  };
  const end = async (item: Item): Promise<AttemptEnd> => {
    const whole = { ...item, endedAt: Date.now() };
    await writer.end(whole);
    return { as: "ended", item: whole };
  };
  try {
    await writer.claim();
    const limits = {
      maxTokens: task.maxTokens,
      seconds: task.seconds,
      idleSeconds: config.idleSeconds,
      bytes: config.answerBytes,
    };
    const request = { ...prompt, maxTokens: task.maxTokens, seconds: task.seconds, consumer: consumerOf(task.owner) };
    const start = (within: AbortSignal) => fleet.generate(worker, task.model, request, within);
    const answer = await readWithin(limits, start, (text) => writer.add(text), inner.signal);
    return await end(ended(writer.item, answer, writer.hasBegun));
  } catch (error) {
    if (error instanceof ItemLost) {
      return { as: "lost" };
    }
    if (writer.hasBegun) {
      const cancelled = error instanceof Cancelled;
      return await end({
        ...writer.item,
        state: cancelled ? "cancelled" : "failed",
        finishReason: cancelled ? "cancelled" : "interrupted",
        problem: cancelled ? undefined : ("interrupted" satisfies Problem),
      });
    }
    if (signal.aborted) {
      // An interruption does not count as an attempt.
      await writer.end({ ...stored.item, state: "waiting", begun: false });
      throw signal.reason;
    }
    if (error instanceof ModelNotLoaded) {
      // The engine received nothing: not an attempt.
      const item: Item = { ...stored.item, state: "waiting", begun: false };
      await writer.end(item);
      return { as: "retry", stored: { item, fence: writer.fence, silence: 0 }, reason: error.code };
    }
    if (mayPass(error) && attempts < config.attempts) {
      return await again(kindOf(error));
    }
    return await end({ ...writer.item, ...refused(error) });
  } finally {
    linked();
    unlost();
    writer.close();
  }
}

/** Item after its answer ended by the engine or a limit. */
function ended(item: Item, end: AnswerEnd, hasBegun: boolean): Item {
  if (end.by === "engine") {
    const { finishReason, promptTokens, completionTokens } = end.event;
    return { ...item, state: "completed", finishReason, promptTokens, completionTokens };
  }
  const { cut } = end;
  return hasBegun && WHOLE.includes(cut)
    ? { ...item, state: "completed", finishReason: cut }
    : { ...item, state: "failed", finishReason: cut, problem: problemOf(cut) };
}

function problemOf(cut: Cut): Problem {
  switch (cut) {
    case "idle":
    case "time_limit":
      return cut;
    // No text to keep.
    default:
      return "no_text";
  }
}

/** Keeps only the kind of an engine's error, but the full text of this program's errors. */
function refused(error: unknown): Partial<Item> {
  const failed = { state: "failed", finishReason: "error" } as const;
  if (error instanceof NotSupported) {
    return { ...failed, problem: "not_supported" satisfies Problem, detail: error.message };
  }
  return { ...failed, problem: (mayPass(error) ? "engine_failed" : "engine_refused") satisfies Problem };
}

/** Whether a retry may succeed: an engine failed, rather than refused. */
export function mayPass(error: unknown): boolean {
  if (error instanceof EngineRefusal) {
    const { answered } = error;
    return error.retryable || answered === undefined || answered >= 500 || answered === 408 || answered === 429;
  }
  if (error instanceof NotSupported) {
    return false;
  }
  return true;
}

/** Code or name for logs, never the message, which may be the engine's. */
export function kindOf(error: unknown): string {
  if (error instanceof ControlError) {
    return error.code;
  }
  return error instanceof Error ? error.name : typeof error;
}

/** Whether the model or its engine is no longer available. */
export function isGone(reason: string): boolean {
  return [new UnknownModel(""), new ModelNotLoaded(""), new UnknownWorker(""), new EngineUnavailable("")].some(
    ({ code }) => code === reason,
  );
}

/**
 * Aborts `inner` after `signal`, with a delay by reason.
 * @returns function that unlinks.
 */
function link(signal: AbortSignal, inner: AbortController, hasBegun: () => boolean, drainSeconds: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    const { reason } = signal;
    if (!hasBegun() || reason instanceof Cancelled) {
      inner.abort(reason);
    } else if (reason instanceof ShuttingDown) {
      timer = setTimeout(() => inner.abort(reason), drainSeconds * 1000);
    }
    // Otherwise the queue reassigned the task; its new owner does not touch an answer in progress.
  };
  if (signal.aborted) {
    stop();
  }
  signal.addEventListener("abort", stop, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  };
}
