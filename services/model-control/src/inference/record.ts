/** Metadata of an inference task, without prompts and answers. */
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
/** Why an answer ended. `stop` and `length` come from the engine; `error` means no answer. */
export type FinishReason = (typeof FINISH_REASONS)[number];

export const ITEM_STATES = ["waiting", "running", "completed", "failed", "cancelled"] as const;
export type ItemState = (typeof ITEM_STATES)[number];

export const itemSchema = z.object({
  state: z.enum(ITEM_STATES),
  attempts: z.int().min(0),
  /** The first token arrived: no retry. */
  begun: z.boolean(),
  worker: z.string().optional(),
  finishReason: z.enum(FINISH_REASONS).optional(),
  /** Code from `problems.ts`. */
  problem: z.string().optional(),
  /** This program's message, if more specific than the code. */
  detail: z.string().optional(),
  promptTokens: z.number().optional(),
  completionTokens: z.number().optional(),
  /** Milliseconds since the epoch. */
  startedAt: z.number().optional(),
  firstTokenAt: z.number().optional(),
  endedAt: z.number().optional(),
});
/** Prompt and its answer. */
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
  mayPull: z.boolean(),
  /** Whether the owner may start a stopped worker. */
  mayStart: z.boolean().default(false),
});
/** Immutable part of a task. */
export type InferenceTask = z.output<typeof taskSchema>;

export interface StoredItem {
  readonly item: Item;
  /** Changes with every attempt and decision; writes require the current value. */
  readonly fence: number;
  /** Milliseconds without a write while the server was reachable. */
  readonly silence: number;
}

export interface StoredTask {
  readonly task: InferenceTask;
  readonly items: readonly StoredItem[];
  /** What it waits for, as text. */
  readonly step?: string;
  /** Task that provides its model. */
  readonly helper?: string;
  readonly endedAt?: number;
  /** Why the whole task has no answer. */
  readonly error?: string;
  /** Milliseconds until it is deleted. */
  readonly remaining: number;
}

export function isOpen({ state }: Item): boolean {
  return state === "waiting" || state === "running";
}

/** Silence in milliseconds after which an answer counts as abandoned: five write intervals. */
export const SILENCE = 5_000;

/** Whether a process is writing its answer. */
export function isBeingWritten({ item: { state }, silence }: StoredItem): boolean {
  return state === "running" && silence < SILENCE;
}
