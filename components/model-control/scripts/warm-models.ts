/**
 * Prefetches models to an engine's disk through the model control API: `node warm-models.ts`.
 *
 * Requests all models at once; the API limits concurrency. Repeatable: existing models cost
 * nothing. Reports every model, and fails if any is unavailable.
 *
 * Runs unmodified in the Job's container: Node 24 strips the types.
 */
import { readFileSync } from "node:fs";
import type { TaskState } from "../../../services/model-control/src/tasks/task";

export interface WarmModelsJob {
  readonly url: string;
  readonly tokenFile: string;
  readonly models: readonly string[];
}

interface TaskStatus {
  readonly state: TaskState;
  readonly progress: number;
  readonly error?: string;
}

/** Poll interval and tolerated API downtime, both in milliseconds. */
export interface Patience {
  readonly pauseMs: number;
  readonly outageMs: number;
}

const PATIENCE: Patience = { pauseMs: 2000, outageMs: 300_000 };

/** @throws Error that lists every unavailable model with the reason. */
export async function warmModels(job: WarmModelsJob, patience = PATIENCE): Promise<void> {
  const token = readFileSync(job.tokenFile, "utf8").trim();
  const api = new Api(job.url, token, patience);
  const outcomes = await Promise.all(
    job.models.map((model) =>
      fetchModel(api, model, patience.pauseMs).then(
        () => [],
        (error: unknown) => {
          const problem = `${model}: ${message(error)}`;
          console.error(problem);
          return [problem];
        },
      ),
    ),
  );
  const problems = outcomes.flat();
  if (problems.length > 0) {
    throw new Error(`${problems.length} of ${job.models.length} models: ${problems.join("; ")}`);
  }
}

async function fetchModel(api: Api, model: string, pauseMs: number): Promise<void> {
  const { task_id } = (await api.send("POST", "/models/pull", { model, load: false })) as { task_id: string };
  console.log(`${model}: task ${task_id}`);
  let reported = -1;
  for (;;) {
    const { state, progress, error } = (await api.send("GET", `/tasks/${task_id}/status`)) as TaskStatus;
    const tenths = Math.floor(progress / 10);
    if (tenths !== reported) {
      reported = tenths;
      console.log(`${model}: ${state}, ${Math.floor(progress)} %`);
    }
    if (state === "completed") {
      return;
    }
    if (state === "failed") {
      throw new Error(error ?? state);
    }
    await pause(pauseMs);
  }
}

class Api {
  private readonly url: string;
  private readonly token: string;
  private readonly patience: Patience;

  constructor(url: string, token: string, patience: Patience) {
    this.url = url;
    this.token = token;
    this.patience = patience;
  }

  /** Answer as JSON. Retries while the API is unavailable or overloaded. */
  async send(method: string, path: string, body?: object): Promise<unknown> {
    const deadline = Date.now() + this.patience.outageMs;
    let told = "";
    for (;;) {
      const answer = await this.attempt(method, path, body);
      if ("value" in answer) {
        return answer.value;
      }
      if (!answer.again || Date.now() > deadline) {
        throw new Error(`${method} ${path}: ${answer.problem}`);
      }
      if (answer.problem !== told) {
        told = answer.problem;
        console.error(`${method} ${path}: ${told}; asking again`);
      }
      await pause(this.patience.pauseMs);
    }
  }

  private async attempt(
    method: string,
    path: string,
    body: object | undefined,
  ): Promise<{ value: unknown } | { problem: string; again: boolean }> {
    try {
      const response = await fetch(`${this.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      });
      const text = await response.text();
      if (response.ok) {
        return { value: JSON.parse(text) };
      }
      return { problem: `answered ${response.status}: ${text}`, again: [429, 502, 503, 504].includes(response.status) };
    } catch (error) {
      return { problem: message(error), again: true };
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Error text; `fetch` has the reason in its cause. */
function message(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message || Reflect.get(cause, "code")}` : error.message;
}

if (process.env.RUN === "warm-models") {
  const job = JSON.parse(process.env.WARM_MODELS ?? "{}") as WarmModelsJob;
  warmModels(job).then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(`failed: ${message(error)}`);
      process.exit(1);
    },
  );
}
