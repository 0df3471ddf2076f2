import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { parseJson } from "../../names/json-text";
import type { TaskState } from "../../services/model-control/src/tasks/task";
import type { HttpClient } from "./http";
import { expectJson } from "./json";
import type { Lifecycle, ModelState, PullOptions } from "./lifecycle";
import { StepFailure } from "./result";
import { StallGuard } from "./wait";

const CHECK = z.object({ ok: z.boolean().nullable(), detail: z.string().nullish() });
const HEALTH = z.object({ healthy: z.boolean(), checks: z.record(z.string(), CHECK) });
export type ControlHealth = z.infer<typeof HEALTH>;

/** From the API; cancelled tasks count as failed. */
const TASK_STATES = ["queued", "running", "completed", "failed"] as const satisfies readonly TaskState[];

const ACCEPTED = z.object({ task_id: z.string() });
const ACCEPTED_MANY = z.object({ task_ids: z.array(z.string()) });
const TASK = z.object({
  state: z.enum(TASK_STATES),
  progress: z.number().nullish(),
  error: z.string().nullish(),
});
const MODEL = z.object({
  state: z.enum(["absent", "pulling", "on_disk", "loaded"]),
  placements: z.array(z.object({ worker: z.string() })).optional(),
});
const WORKER = z.object({ name: z.string(), state: z.string(), problem: z.string().nullish() });
const WORKERS = z.object({ workers: z.array(WORKER) });
export type ControlWorker = z.infer<typeof WORKER>;

const ITEM = z.object({
  text: z.string().nullish(),
  finish_reason: z.string().nullish(),
  completion_tokens: z.number().nullish(),
  waited_seconds: z.number().nullish(),
  error: z.object({ code: z.string(), detail: z.string() }).nullish(),
});
const INFERENCE = TASK.extend({ step: z.string().nullish(), items: z.array(ITEM).min(1) });

/** Result of an asynchronous task with one prompt. */
export interface ControlAnswer {
  readonly state: "completed" | "failed";
  readonly text?: string;
  readonly finishReason?: string;
  readonly tokens?: number;
  /** From request to engine. */
  readonly waitedSeconds?: number;
  /** Errors of prompt and task. */
  readonly error?: { readonly code: string; readonly detail: string };
  readonly taskError?: string;
}

/** Limits and progress of waiting for a task. */
interface Watch {
  readonly signal: AbortSignal;
  progress?(state: string): void;
}

/** Polling interval. */
const POLL_MS = 500;

/** The platform's model control API (services/model-control). */
export class ControlApi implements Lifecycle {
  readonly label: string;
  readonly lookAt = "the control API's log";

  constructor(private readonly client: HttpClient) {
    this.label = `the control API at ${client.base}`;
  }

  /** Any health status. @throws StepFailure @throws NoAnswer without one. */
  async health(signal: AbortSignal): Promise<ControlHealth> {
    const answer = await this.client.request("GET", "/health", signal);
    // An unhealthy API answers 503 with the same document.
    const status = answer.status === 503 && HEALTH.safeParse(parseJson(answer.text)).success ? 503 : 200;
    return expectJson(answer, { what: "GET /health of the control API", status, schema: HEALTH, lookAt: this.lookAt });
  }

  async state(model: string, signal: AbortSignal): Promise<ModelState> {
    return (await this.model(model, signal)).state;
  }

  /** A worker with the model; undefined without. */
  async workerOf(model: string, signal: AbortSignal): Promise<string | undefined> {
    return (await this.model(model, signal)).placements?.[0]?.worker;
  }

  async pull(model: string, { onProgress, stallSeconds }: PullOptions): Promise<void> {
    const guard = new StallGuard(stallSeconds);
    try {
      const task = await this.accept("/models/pull", { model }, guard.signal);
      await this.finish(task, `the pull of ${model}`, guard, onProgress);
    } finally {
      guard.end();
    }
  }

  async load(model: string, signal: AbortSignal): Promise<void> {
    const task = await this.accept("/models/load", { model }, signal);
    await this.finish(task, `the load of ${model}`, { signal });
  }

  async unload(model: string, signal: AbortSignal): Promise<void> {
    const answer = await this.client.request("DELETE", `/models/${pathOf(model)}`, signal);
    expectJson(answer, { what: `DELETE /models/${model}`, schema: MODEL, lookAt: this.lookAt });
  }

  async worker(name: string, signal: AbortSignal): Promise<ControlWorker | undefined> {
    const answer = await this.client.request("GET", "/workers", signal);
    const { workers } = expectJson(answer, { what: "GET /workers", schema: WORKERS, lookAt: this.lookAt });
    return workers.find((worker) => worker.name === name);
  }

  /** Stops or starts a worker, and waits for the task. */
  async change(worker: string, action: "stop" | "start", signal: AbortSignal): Promise<void> {
    const answer = await this.client.request("POST", `/workers/${action}`, signal, { worker });
    const what = `POST /workers/${action} accepts a task`;
    const { task_ids } = expectJson(answer, { what, status: 202, schema: ACCEPTED_MANY, lookAt: this.lookAt });
    for (const task of task_ids) {
      await this.finish(task, `the ${action} of worker ${worker}`, { signal });
    }
  }

  /** Submits a prompt. @returns the task's id; undefined without asynchronous inference. */
  async infer(
    model: string,
    { prompt, maxTokens }: { readonly prompt: string; readonly maxTokens: number },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const body = { model, messages: [{ role: "user", content: prompt }], options: { max_tokens: maxTokens } };
    const answer = await this.client.request("POST", "/inference", signal, body);
    if (answer.status === 404) {
      return undefined;
    }
    const what = "POST /inference accepts a task";
    return expectJson(answer, { what, status: 202, schema: ACCEPTED, lookAt: this.lookAt }).task_id;
  }

  /** Waits for the task. */
  async answer(id: string, onProgress: PullOptions["onProgress"], signal: AbortSignal): Promise<ControlAnswer> {
    let last = "not checked";
    const late = (): StepFailure => {
      const lookAt = "what it waits for: GET /tasks, GET /workers; --timeout when it needs longer";
      return new StepFailure({ expected: `the task ${id} ends in time`, got: last, lookAt });
    };
    for (;;) {
      const path = `/inference/${encodeURIComponent(id)}`;
      const found = await this.client.request("GET", path, signal).catch((error: unknown) => {
        throw signal.aborted ? late() : error;
      });
      const { state, step, error, items } = expectJson(found, {
        what: `the answer of task ${id}`,
        schema: INFERENCE,
        lookAt: this.lookAt,
      });
      if (state === "completed" || state === "failed") {
        const [item] = items;
        return {
          state,
          text: item?.text ?? undefined,
          finishReason: item?.finish_reason ?? undefined,
          tokens: item?.completion_tokens ?? undefined,
          waitedSeconds: item?.waited_seconds ?? undefined,
          error: item?.error ?? undefined,
          taskError: error ?? undefined,
        };
      }
      last = step == null ? state : `${state}: ${step}`;
      onProgress(step ?? state);
      await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** Deletes a prompt and its answer. */
  async forget(id: string, signal: AbortSignal): Promise<void> {
    await this.client.request("DELETE", `/inference/${encodeURIComponent(id)}`, signal);
  }

  private async model(model: string, signal: AbortSignal): Promise<z.infer<typeof MODEL>> {
    const answer = await this.client.request("GET", `/models/${pathOf(model)}/status`, signal);
    return expectJson(answer, { what: `the status of ${model}`, schema: MODEL, lookAt: this.lookAt });
  }

  private async accept(path: string, body: unknown, signal: AbortSignal): Promise<string> {
    const answer = await this.client.request("POST", path, signal, body);
    const what = `POST ${path} accepts a task`;
    return expectJson(answer, { what, status: 202, schema: ACCEPTED, lookAt: this.lookAt }).task_id;
  }

  private async finish(
    id: string,
    what: string,
    guard: Watch,
    onProgress: PullOptions["onProgress"] = () => {},
  ): Promise<void> {
    for (;;) {
      const answer = await this.client.request("GET", `/tasks/${encodeURIComponent(id)}/status`, guard.signal);
      const task = expectJson(answer, { what: `the status of task ${id}`, schema: TASK, lookAt: this.lookAt });
      if (task.state === "completed") {
        return;
      }
      if (task.state === "failed") {
        const got = `${task.state}: ${task.error ?? "no reason given"}`;
        const lookAt = `GET /tasks/${id}/status, ${this.lookAt} and the engine's`;
        throw new StepFailure({ expected: `${what} completes`, got, lookAt });
      }
      const state = task.state === "queued" ? "queued" : `${Math.floor(task.progress ?? 0)} %`;
      guard.progress?.(state);
      onProgress(state);
      await sleep(POLL_MS, undefined, { signal: guard.signal }).catch(() => {});
    }
  }
}

/** Slashes stay unencoded, because proxies treat encoded ones differently. */
function pathOf(model: string): string {
  return model.split("/").map(encodeURIComponent).join("/");
}
