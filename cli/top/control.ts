/** Workers, models and tasks of the model control API. */
import { z } from "zod";
import type { TaskKind, TaskState } from "../../services/model-control/src/tasks/task";
import type { HttpClient } from "../smoke/http";
import { expectJson } from "../smoke/json";
import type { ControlFacts } from "./facts";

const KINDS = ["pull", "load", "stop", "start", "inference"] as const satisfies readonly TaskKind[];
const STATES = ["queued", "running", "completed", "failed"] as const satisfies readonly TaskState[];

const budget = z
  .object({ budget_bytes: z.number(), used_bytes: z.number() })
  .transform(({ budget_bytes, used_bytes }) => ({ usedBytes: used_bytes, budgetBytes: budget_bytes }));

const worker = z
  .object({
    name: z.string(),
    backend: z.string(),
    state: z.string(),
    memory: budget,
    disk: budget.nullish(),
    models: z.array(z.string()),
    problem: z.string().nullish(),
  })
  .transform(({ backend, disk, problem, ...rest }) => ({
    ...rest,
    engine: backend,
    ...(disk && { disk }),
    ...(problem && { problem }),
  }));

const model = z
  .object({
    model: z.string(),
    state: z.string(),
    pinned: z.boolean(),
    placements: z.array(z.object({ worker: z.string() })),
  })
  .transform(({ model: name, placements, ...rest }) => ({
    ...rest,
    name,
    workers: placements.map((each) => each.worker),
  }));

const task = z
  .object({
    task_id: z.string(),
    kind: z.enum(KINDS),
    state: z.enum(STATES),
    model: z.string().optional(),
    worker: z.string().optional(),
    progress: z.number(),
    step: z.string().optional(),
    error: z.string().optional(),
    finished_at: z.string().optional(),
  })
  .transform(({ task_id, finished_at, ...rest }) => ({
    ...rest,
    id: task_id,
    ...(finished_at !== undefined && { finishedAt: finished_at }),
  }));

const LOOK_AT = "whether this is the address of the model control API; its log";

/** @throws NoAnswer, StepFailure */
export async function askControl(http: HttpClient, signal: AbortSignal): Promise<ControlFacts> {
  const ask = async <T>(path: string, schema: z.ZodType<T>): Promise<T> =>
    expectJson(await http.request("GET", path, signal), {
      what: `GET ${path} of the control API`,
      schema,
      lookAt: LOOK_AT,
      advice: http.advice,
    });
  const [{ workers }, { models }, { tasks }] = await Promise.all([
    ask("/workers", z.object({ workers: z.array(worker) })),
    ask("/models", z.object({ models: z.array(model) })),
    ask("/tasks?limit=500", z.object({ tasks: z.array(task) })),
  ]);
  return { workers, models, tasks };
}
