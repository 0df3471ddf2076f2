import { z } from "zod";
import { parseJson } from "../../names/json-text";
import type { HttpClient } from "./http";
import { expectJson, messageIn, refused } from "./json";
import type { Lifecycle, ModelState, PullOptions } from "./lifecycle";
import { StepFailure } from "./result";
import { StallGuard } from "./wait";

const MODELS = z.object({ models: z.array(z.object({ name: z.string() })) });

/** Stream line of `POST /api/pull`. */
const PULL_LINE = z.object({
  status: z.string().optional(),
  digest: z.string().optional(),
  total: z.number().optional(),
  completed: z.number().optional(),
  error: z.string().optional(),
});
type PullLine = z.infer<typeof PULL_LINE>;

/** Ollama directly: https://github.com/ollama/ollama/blob/main/docs/api.md */
export class OllamaLifecycle implements Lifecycle {
  readonly label: string;
  readonly lookAt = "Ollama's log";

  constructor(
    private readonly client: HttpClient,
    private readonly insecureRegistry: boolean,
  ) {
    this.label = `Ollama at ${client.base}`;
  }

  async state(model: string, signal: AbortSignal): Promise<ModelState> {
    if (await this.lists("/api/ps", model, signal)) {
      return "loaded";
    }
    return (await this.lists("/api/tags", model, signal)) ? "on_disk" : "absent";
  }

  /** Models on disk are not pulled: the registry may be unreachable, as on isolated machines. */
  async pull(model: string, { onProgress, stallSeconds }: PullOptions): Promise<void> {
    const guard = new StallGuard(stallSeconds);
    try {
      if ((await this.state(model, guard.signal)) === "absent") {
        await this.download(model, guard, onProgress);
      }
      onProgress("loading");
      guard.progress("loading");
      await this.load(model, guard.signal);
    } finally {
      guard.end();
    }
  }

  async load(model: string, signal: AbortSignal): Promise<void> {
    const answer = await this.client.request("POST", "/api/generate", signal, { model, stream: false });
    if (answer.status !== 200) {
      throw refused(answer, `${model} loads into memory`, "Ollama's log; free memory");
    }
  }

  async unload(model: string, signal: AbortSignal): Promise<void> {
    const body = { model, keep_alive: 0, stream: false };
    const answer = await this.client.request("POST", "/api/generate", signal, body);
    if (answer.status !== 200) {
      throw refused(answer, `${model} unloads`, this.lookAt);
    }
  }

  private async download(model: string, guard: StallGuard, onProgress: PullOptions["onProgress"]): Promise<void> {
    const expected = `the pull of ${model} ends with "success"`;
    const lookAt = "the name; whether Ollama reaches the registry (egress rules, proxy); free disk";
    const body = { model, stream: true, ...(this.insecureRegistry ? { insecure: true } : {}) };
    const { status, lines } = await this.client.stream("POST", "/api/pull", guard.signal, body);
    const layers = new Map<string, PullLine>();
    let last: PullLine = {};
    let text = "";
    for await (const { text: line } of lines) {
      text = line;
      if (status !== 200 || line.trim() === "") {
        continue;
      }
      const parsed = PULL_LINE.safeParse(parseJson(line));
      if (!parsed.success) {
        throw new StepFailure({ expected, got: `the line ${messageIn(line)}`, lookAt });
      }
      last = parsed.data;
      if (last.error !== undefined) {
        throw new StepFailure({ expected, got: last.error, lookAt });
      }
      if (last.digest !== undefined) {
        layers.set(last.digest, last);
      }
      const state = progressOf(last, layers);
      guard.progress(state);
      onProgress(state);
    }
    if (status !== 200) {
      throw refused({ status, text }, expected, lookAt);
    }
    if (last.status !== "success") {
      throw new StepFailure({ expected, got: `an end after "${last.status ?? "nothing"}"`, lookAt: this.lookAt });
    }
  }

  private async lists(path: string, model: string, signal: AbortSignal): Promise<boolean> {
    const answer = await this.client.request("GET", path, signal);
    const what = `${path} lists models`;
    const { models } = expectJson(answer, { what, schema: MODELS, lookAt: this.lookAt });
    return models.some(({ name }) => fullName(name) === fullName(model));
  }
}

function progressOf({ digest, status = "" }: PullLine, layers: ReadonlyMap<string, PullLine>): string {
  if (digest === undefined) {
    return status;
  }
  const sum = (values: (number | undefined)[]): number => values.reduce((all: number, one = 0) => all + one, 0);
  const total = sum([...layers.values()].map((layer) => layer.total));
  const completed = sum([...layers.values()].map((layer) => layer.completed));
  const percent = total === 0 ? 0 : Math.floor((100 * completed) / total);
  return `${percent} % of ${megabytes(total)}`;
}

function megabytes(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Adds Ollama's default registry, namespace and tag. */
function fullName(name: string): string {
  const short = name.replace(/^registry\.ollama\.ai\//, "").replace(/^library\//, "");
  const last = short.slice(short.lastIndexOf("/") + 1);
  return last.includes(":") ? short : `${short}:latest`;
}
