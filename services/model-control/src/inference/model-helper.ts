import { QueueFull, TooManyQueued, UnknownTask } from "../errors";
import type { Readiness } from "../fleet/fleet";
import { percentFetched } from "../tasks/progress";
import { type SharedRequest, type TaskReport, type Tasks, UNWANTED } from "../tasks/task";
import type { InferenceTask } from "./record";

/** Action for a model that is not ready. */
export type Help =
  /** What it waits for, and the task that provides it; `inLine` while that task is queued. */
  | { readonly step: string; readonly helper?: string; readonly inLine?: true }
  /** No action possible. */
  | { readonly error: string };

/**
 * Requests the model by an ordinary task, shared by all that wait for it.
 *
 * @param helper task requested earlier.
 */
export async function helpAlong(
  tasks: Pick<Tasks, "submit" | "find">,
  { owner, model, mayPull, mayStart }: InferenceTask,
  readiness: Exclude<Readiness, { state: "ready" }>,
  helper: string | undefined,
): Promise<Help> {
  const found = helper === undefined ? undefined : await find(tasks, helper);
  // The helper ended because nothing wanted the model then.
  const before = found?.error === UNWANTED ? undefined : found;
  if (before?.state === "failed") {
    return { error: `${whatOf(before)} failed: ${before.error ?? "no reason given"}` };
  }
  if (before !== undefined && before.state !== "completed") {
    return helpOf(before);
  }
  const request = requestFor(model, readiness);
  if (request === undefined || (readiness.state === "stopped" && !mayStart)) {
    return { step: waitFor(readiness) };
  }
  if (request.kind === "pull" && readiness.state === "absent" && !mayPull) {
    return { error: `no worker has ${model}, and the token may not have it pulled: its scopes lack "pull"` };
  }
  const id = await submit(tasks, request, owner);
  if (id === undefined) {
    return { step: "waiting for room in the queue of pulls and loads", inLine: true };
  }
  const report = await find(tasks, id);
  return report === undefined ? { step: waitFor(readiness), helper: id } : helpOf(report);
}

/** @returns undefined if the queue or the owner's quota is full, which passes. */
async function submit(
  tasks: Pick<Tasks, "submit">,
  request: SharedRequest,
  owner: string,
): Promise<string | undefined> {
  try {
    return await tasks.submit(request, { owner, forInference: true });
  } catch (error) {
    if (error instanceof TooManyQueued || error instanceof QueueFull) {
      return undefined;
    }
    throw error;
  }
}

function helpOf(report: TaskReport): Help {
  const { id: helper, state, attempts } = report;
  const inLine = state === "queued" && attempts.made === 0;
  return { step: stepOf(report), helper, ...(inLine && { inLine }) };
}

function requestFor(model: string, readiness: Exclude<Readiness, { state: "ready" }>): SharedRequest | undefined {
  switch (readiness.state) {
    case "absent":
      return { kind: "pull", model, load: true };
    case "on_disk":
      return { kind: "load", model };
    case "asleep":
    case "stopped":
      return { kind: "start", worker: readiness.worker };
    default:
      return undefined;
  }
}

function waitFor(readiness: Exclude<Readiness, { state: "ready" }>): string {
  switch (readiness.state) {
    case "absent":
    case "pulling":
      return "pulling";
    case "on_disk":
      return "loading";
    case "asleep":
      return `waking ${readiness.worker}`;
    case "starting":
      return `${readiness.worker} is starting`;
    case "stopped":
      return `${readiness.worker} is stopped until a user starts it`;
    case "unreachable":
      return `${readiness.worker} cannot be reached`;
  }
}

function stepOf(report: TaskReport): string {
  const { kind, progress, worker, state } = report;
  switch (kind) {
    case "pull": {
      const fetched = percentFetched(progress);
      return state === "queued" ? "waiting for its pull" : fetched < 100 ? `pulling ${fetched} %` : "loading";
    }
    case "start":
      return `waking ${worker ?? "its worker"}`;
    default:
      return state === "queued" ? "waiting for its load" : "loading";
  }
}

function whatOf({ kind, model, worker }: TaskReport): string {
  return kind === "start" ? `waking ${worker ?? "its worker"}` : `the ${kind} of ${model ?? "its model"}`;
}

async function find(tasks: Pick<Tasks, "find">, id: string): Promise<TaskReport | undefined> {
  try {
    return await tasks.find(id);
  } catch (error) {
    if (error instanceof UnknownTask) {
      return undefined;
    }
    throw error;
  }
}
