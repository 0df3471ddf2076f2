import type { InferenceTask, Item } from "./record";

/** What became of a prompt. */
export interface ObservedAnswer {
  readonly model: string;
  readonly outcome: string;
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  /** From the task's request to the prompt's last attempt, and from there to its end. */
  readonly waitedSeconds?: number;
  readonly seconds?: number;
}

/** Told what becomes of prompts, for metrics. */
export interface InferenceObserver {
  answered(answer: ObservedAnswer): void;
}

export function observed({ model, createdAt }: InferenceTask, item: Item): ObservedAnswer {
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
