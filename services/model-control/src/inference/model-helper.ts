import { UnknownTask } from "../errors";
import type { Readiness } from "../fleet/fleet";
import { percentFetched } from "../tasks/progress";
import type { TaskReport, TaskRequest, Tasks } from "../tasks/task";
import type { InferenceTask } from "./record";

/** What is done about a model that cannot answer yet. */
export type Help =
  /** What it waits for, in words, and the task that brings it. */
  | { readonly step: string; readonly helper?: string }
  /** Nothing can be done. */
  | { readonly error: string };

/**
 * Has a model brought, by a task like anybody's: the same one for all who wait for the model.
 *
 * @param helper the task that was asked for it before.
 */
export async function helpAlong(
  tasks: Pick<Tasks, "submit" | "find">,
  { model, mayPull, mayStart }: InferenceTask,
  readiness: Exclude<Readiness, { state: "ready" }>,
  helper: string | undefined,
): Promise<Help> {
  const before = helper === undefined ? undefined : await find(tasks, helper);
  if (before?.state === "failed") {
    return { error: `${whatOf(before)} failed: ${before.error ?? "no reason given"}` };
  }
  if (before !== undefined && before.state !== "completed") {
    return { step: stepOf(before), helper };
  }
  const request = requestFor(model, readiness);
  if (request === undefined || (readiness.state === "stopped" && !mayStart)) {
    return { step: waitFor(readiness) };
  }
  if (request.kind === "pull" && readiness.state === "absent" && !mayPull) {
    return { error: `no worker has ${model}, and the token may not have it pulled: its scopes lack "pull"` };
  }
  const id = await tasks.submit(request);
  const report = await find(tasks, id);
  return { step: report === undefined ? waitFor(readiness) : stepOf(report), helper: id };
}

function requestFor(model: string, readiness: Exclude<Readiness, { state: "ready" }>): TaskRequest | undefined {
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
      return `${readiness.worker} is stopped, until somebody starts it`;
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
      return "loading";
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
