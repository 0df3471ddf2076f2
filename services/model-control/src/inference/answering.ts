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

/** What became of one attempt. `retry`: it may be put to an engine again. `lost`: it is not this process's any more. */
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

/** Reasons for which an answer is whole as far as it goes. */
const WHOLE: readonly FinishReason[] = ["stop", "length", "time_limit", "size_limit"];

/**
 * Puts one prompt to one worker. Until the first token it may be put to another one; from then on what comes is kept, and it
 * is never asked again: not after an error, and not by another process.
 *
 * @throws the reason of `signal` when it aborts before the first token: the item waits again. After it, a cancelled answer
 * ends at once, and one whose process ends has `drainSeconds` for its end.
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
      // It was asked in vain, and through no fault of its own.
      await writer.end({ ...stored.item, state: "waiting", begun: false });
      throw signal.reason;
    }
    if (error instanceof ModelNotLoaded) {
      // Nothing was asked of an engine: no attempt.
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

/** The item after its engine, or a limit, ended the answer. */
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
    // Without a text to keep.
    default:
      return "no_text";
  }
}

/** Of what the engine says only its kind is kept; what this program says of a model is for everybody. */
function refused(error: unknown): Partial<Item> {
  const failed = { state: "failed", finishReason: "error" } as const;
  if (error instanceof NotSupported) {
    return { ...failed, problem: "not_supported" satisfies Problem, detail: error.message };
  }
  return { ...failed, problem: (mayPass(error) ? "engine_failed" : "engine_refused") satisfies Problem };
}

/** Whether another attempt may end otherwise: an engine that is away or broken, rather than one that says no. */
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

/** For the log: a code or a name, never the words, which may be the engine's. */
export function kindOf(error: unknown): string {
  if (error instanceof ControlError) {
    return error.code;
  }
  return error instanceof Error ? error.name : typeof error;
}

/** Whether the model, or its engine, is not where it was thought to be. */
export function isGone(reason: string): boolean {
  return [new UnknownModel(""), new ModelNotLoaded(""), new UnknownWorker(""), new EngineUnavailable("")].some(
    ({ code }) => code === reason,
  );
}

/** Aborts `inner` when `signal` does, at the time that fits the reason. @returns ends it. */
function link(signal: AbortSignal, inner: AbortController, hasBegun: () => boolean, drainSeconds: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    const { reason } = signal;
    if (!hasBegun() || reason instanceof Cancelled) {
      inner.abort(reason);
    } else if (reason instanceof ShuttingDown) {
      timer = setTimeout(() => inner.abort(reason), drainSeconds * 1000);
    }
    // Else the queue gave the task away: whoever has it leaves an answer alone that is being written.
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
