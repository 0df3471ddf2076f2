/** What is kept of an inference task beside its prompts and answers: nothing here tells what was asked or answered. */
import { z } from "zod";

export const FINISH_REASONS = [
  "stop",
  "length",
  "time_limit",
  "size_limit",
  "idle",
  "interrupted",
  "cancelled",
  "error",
] as const;
/** Why an answer ended. `stop` and `length` are the engine's own; with `error` there is no answer. */
export type FinishReason = (typeof FINISH_REASONS)[number];

export const ITEM_STATES = ["waiting", "running", "completed", "failed", "cancelled"] as const;
export type ItemState = (typeof ITEM_STATES)[number];

export const itemSchema = z.object({
  state: z.enum(ITEM_STATES),
  /** How often it was put to an engine. */
  attempts: z.int().min(0),
  /** The first token is there: it is put to no engine any more. */
  begun: z.boolean(),
  worker: z.string().optional(),
  finishReason: z.enum(FINISH_REASONS).optional(),
  /** A code of `problems.ts`. */
  problem: z.string().optional(),
  /** What this program says of it, where it knows more than the code tells. */
  detail: z.string().optional(),
  promptTokens: z.number().optional(),
  completionTokens: z.number().optional(),
  /** Milliseconds since the epoch. */
  startedAt: z.number().optional(),
  firstTokenAt: z.number().optional(),
  endedAt: z.number().optional(),
});
/** One prompt of a task, and its answer. */
export type Item = z.output<typeof itemSchema>;

export const WAITING: Item = { state: "waiting", attempts: 0, begun: false };

export const taskSchema = z.object({
  owner: z.string(),
  model: z.string(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  prompts: z.int().min(1),
  maxTokens: z.int().min(1),
  seconds: z.int().min(1),
  /** Whether the asker may have the model fetched. */
  mayPull: z.boolean(),
  /** Whether the asker may start a worker that somebody stopped. */
  mayStart: z.boolean().default(false),
});
/** What does not change. */
export type InferenceTask = z.output<typeof taskSchema>;

export interface StoredItem {
  readonly item: Item;
  /** Another one with every attempt and every decision about the item: who writes must name the current one. */
  readonly fence: number;
  /** Milliseconds for which nobody wrote to it though the server could be reached. */
  readonly silence: number;
}

export interface StoredTask {
  readonly task: InferenceTask;
  readonly items: readonly StoredItem[];
  /** What it waits for, in words. */
  readonly step?: string;
  /** The task that brings its model. */
  readonly helper?: string;
  readonly endedAt?: number;
  /** Why it has no answer at all. */
  readonly error?: string;
  /** Milliseconds until it is forgotten. */
  readonly remaining: number;
}

export function isOpen({ state }: Item): boolean {
  return state === "waiting" || state === "running";
}

/** An answer that nobody has written to for so long, in milliseconds, is nobody's any more: five times what is usual. */
export const SILENCE = 5_000;

/** Whether a process is at its answer, and will say how it ended. */
export function isBeingWritten({ item: { state }, silence }: StoredItem): boolean {
  return state === "running" && silence < SILENCE;
}
