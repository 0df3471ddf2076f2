import { z } from "zod";
import { BACKENDS } from "../backends/backend";
import type { ModelState, WorkerState } from "../fleet/fleet";
import { STAYS } from "../fleet/idle";
import { LONGEST_MODEL_NAME, modelNamePattern, type NameRules } from "../model-name";
import { TASK_KINDS, TASK_STATES } from "../tasks/task";
import { PROBLEM_TYPE, problemSchema } from "./problem";

const PLACED_STATES = ["pulling", "on_disk", "loaded"] as const satisfies readonly ModelState[];
const MODEL_STATES = ["absent", ...PLACED_STATES] as const satisfies readonly ModelState[];
const WORKER_STATES = [
  "running",
  "draining",
  "stopped",
  "starting",
  "asleep",
  "unreachable",
] as const satisfies readonly WorkerState[];

const bytes = z.int().min(0);
const time = z.iso.datetime();

const check = z.object({
  ok: z.boolean().nullable().meta({ description: "null when unknown" }),
  detail: z.string(),
});

export const healthSchema = z
  .object({
    healthy: z.boolean().meta({ description: "control_api, queue and backend are all in order" }),
    checks: z.object({
      control_api: check,
      queue: check,
      backend: check,
      gpu_available: check,
      model_loaded: check,
    }),
  })
  .meta({ id: "Health" });

export const aliveSchema = z.object({ status: z.literal("ok") }).meta({ id: "Alive" });

export const taskSchema = z
  .object({
    task_id: z.string(),
    kind: z.enum(TASK_KINDS),
    model: z.string().optional(),
    worker: z.string().optional().meta({ description: "The worker asked for, or the one that has the model now" }),
    state: z.enum(TASK_STATES).meta({ description: 'A cancelled task is failed, with the error "cancelled"' }),
    progress: z.int().min(0).max(100).meta({ description: "Per cent" }),
    step: z
      .string()
      .optional()
      .meta({ description: "What inference waits for", examples: ["pulling 43 %", "loading"] }),
    error: z.string().optional().meta({ description: "Why it failed, or why its last try did" }),
    attempts: z.object({ made: z.int().min(0), allowed: z.int().min(1) }),
    created_at: time,
    started_at: time.optional(),
    finished_at: time.optional(),
  })
  .meta({ id: "Task" });

export const taskListSchema = z.object({ tasks: z.array(taskSchema) }).meta({ id: "TaskList" });

export const acceptedSchema = z
  .object({ task_id: z.string().meta({ examples: ["pull-6f1de5a3-64b8-4ed9-9d7b-3a0b4b3b8f0e"] }) })
  .meta({ id: "Accepted" });

export const acceptedWorkersSchema = z
  .object({
    task_ids: z.array(z.string()).meta({ description: "One task for each worker" }),
    task_id: z.string().optional().meta({ description: "Where it is one worker" }),
  })
  .meta({ id: "AcceptedWorkers" });

export const modelSchema = z
  .object({
    model: z.string(),
    state: z.enum(MODEL_STATES),
    pinned: z.boolean().meta({ description: "Never leaves to make room" }),
    placements: z.array(
      z.object({
        worker: z.string(),
        state: z.enum(PLACED_STATES),
        disk_bytes: bytes.optional(),
        memory_bytes: bytes.optional(),
        last_used: time.optional(),
        unloads_at: time.optional().meta({ description: "When it is unloaded, or soon after, unless used until then" }),
        stays: z.enum(STAYS).optional().meta({
          description:
            "Why it is loaded without such a time. not_supported: the engine cannot free its memory. in_use: a request runs now, where the engine reports it",
        }),
      }),
    ),
  })
  .meta({ id: "Model" });

export const modelListSchema = z.object({ models: z.array(modelSchema) }).meta({ id: "ModelList" });

const budget = z.object({ budget_bytes: bytes, used_bytes: bytes });

export const workerSchema = z
  .object({
    name: z.string(),
    backend: z.enum(BACKENDS),
    state: z.enum(WORKER_STATES).meta({
      description:
        "stopped: by this API, until it is started here. asleep: scaled to zero by its autoscaler, until a request for its model or a start here",
    }),
    version: z.string().optional(),
    gpu: z.boolean().optional().meta({ description: "Absent when the engine does not report it" }),
    memory: budget,
    disk: budget.optional(),
    models: z.array(z.string()),
    problem: z.string().optional().meta({ description: "Why it is unreachable" }),
  })
  .meta({ id: "Worker" });

export const workerListSchema = z.object({ workers: z.array(workerSchema) }).meta({ id: "WorkerList" });

/** Schema of a model name for the description. `parseModelName` validates it, with status 422. */
export function modelNameSchema(rules: NameRules) {
  return z.string().meta({
    maxLength: LONGEST_MODEL_NAME,
    pattern: modelNamePattern(rules),
    description: "[host[:port]/][namespace/]model[:tag], from an allowed registry",
    examples: ["llama3.2:3b"],
  });
}

const PROBLEMS = {
  400: "The request is not well formed",
  401: "No valid token",
  403: "The token's scope does not suffice",
  404: "There is no such thing",
  409: "It cannot be done in the present state",
  413: "The body is too large",
  415: "The body is not JSON",
  422: "The model's name is not valid, its registry is not allowed, or more is asked for than may be",
  429: "Too many requests; Retry-After says when to come back",
  502: "The engine refused",
  503: "The task queue or an engine cannot be reached, or the queue is full",
  504: "The engines did not answer in time",
} as const;

type ProblemStatus = keyof typeof PROBLEMS;

interface ProblemAnswer {
  readonly description: string;
  readonly content: { readonly [PROBLEM_TYPE]: { readonly schema: typeof problemSchema } };
}

/** Error responses for a route's schema. */
export function problems<T extends ProblemStatus>(...statuses: T[]): Record<T, ProblemAnswer> {
  const answers = statuses.map((status): [T, ProblemAnswer] => [
    status,
    { description: PROBLEMS[status], content: { [PROBLEM_TYPE]: { schema: problemSchema } } },
  ]);
  return Object.fromEntries(answers) as Record<T, ProblemAnswer>;
}
