import type { InferenceTask, Item } from "./record";

export interface ObservedAnswer {
  readonly model: string;
  readonly outcome: string;
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  /** Seconds from the task's request to the last attempt, and from there to the end. */
  readonly waitedSeconds?: number;
  readonly seconds?: number;
}

export interface InferenceObserver {
  answered(answer: ObservedAnswer): void;
}

export function observed({ model, createdAt }: InferenceTask, item: Item): ObservedAnswer {
  const { finishReason = "error", promptTokens, completionTokens, startedAt, endedAt, worker } = item;
  const isTimed = startedAt !== undefined && endedAt !== undefined;
  return {
    // Unknown model names must not create metric series.
    model: worker === undefined ? "" : model,
    outcome: finishReason,
    promptTokens,
    completionTokens,
    waitedSeconds: startedAt === undefined ? undefined : Math.max(0, startedAt - createdAt) / 1000,
    seconds: isTimed ? Math.max(0, endedAt - startedAt) / 1000 : undefined,
  };
}
