import { z } from "zod";
import { EngineRefusal, EngineUnavailable, UnknownModel } from "../errors";
import { shortened } from "../words";
import type { Backend, EngineHealth, EngineModel, PullProgress } from "./backend";
import { EngineClient } from "./engine-client";
import { DEFAULT_TIMEOUTS, type EngineTimeouts } from "./engine-timeouts";
import { finishReasonOf, type GenerationEvent, type GenerationRequest, type Sampling } from "./generation";
import { PullMeter } from "./pull-meter";
import { engineBytes, engineName, listOf, shortText, tokenCount } from "./shapes";
import { StallTimer } from "./stall-timer";
import { waitUntil } from "./wait";

/** No expiry: the fleet decides what is unloaded, not Ollama's timer. */
const FOREVER = -1;
/** Timeout of an empty request to a loaded model, in seconds. */
const TOUCH_SECONDS = 10;

// Fields in use. Source: ollama v0.32.15 api/types.go; same in v0.6.5.
const VERSION = z.object({ version: shortText });
const LISTED = z.object({
  models: listOf(
    z.object({
      name: engineName,
      size: engineBytes,
      /** Set for models that Ollama's cloud runs, without local files. Since v0.12. */
      remote_host: z.string().optional(),
    }),
  ),
});
const RUNNING = z.object({
  models: listOf(
    z.object({
      name: engineName,
      /** Bytes in total, and on GPUs. */
      size: engineBytes,
      size_vram: engineBytes,
      /** Changes when the last running request ends (server/sched.go, processCompleted). */
      expires_at: shortText,
    }),
  ),
});
const SHOWN = z.object({ capabilities: listOf(shortText).optional() });
const PULL_LINE = z.object({
  status: z.string().optional(),
  digest: z.string().max(200).optional(),
  total: engineBytes.optional(),
  completed: engineBytes.optional(),
  error: z.string().optional(),
});
/** Line of a chat, or of a completion without a template. */
const GENERATED_LINE = z.object({
  message: z.object({ content: z.string().optional() }).optional(),
  response: z.string().optional(),
  done: z.boolean().optional(),
  done_reason: shortText.optional(),
  prompt_eval_count: tokenCount.optional(),
  eval_count: tokenCount.optional(),
  error: z.string().optional(),
});
type ListedModel = z.output<typeof LISTED>["models"][number];
type RunningModel = z.output<typeof RUNNING>["models"][number];

export interface OllamaOptions {
  /** Registries reached over plain HTTP. */
  readonly insecureRegistries?: readonly string[];
  readonly timeouts?: Partial<EngineTimeouts>;
}

/**
 * One Ollama server, v0.6.4 or later.
 *
 * An interrupted pull leaves partial files for the next attempt. Only a restart removes them, once
 * older than an hour, unless OLLAMA_NOPRUNE is set (server/images.go, PruneLayers).
 */
export class OllamaBackend implements Backend {
  readonly kind = "ollama";
  readonly can = { pull: true, purge: true, load: true } as const;
  private readonly client: EngineClient;
  private readonly insecureRegistries: ReadonlySet<string>;
  private readonly timeouts: EngineTimeouts;

  constructor(url: string, { insecureRegistries = [], timeouts = {} }: OllamaOptions = {}) {
    this.client = new EngineClient(url);
    this.insecureRegistries = new Set(insecureRegistries);
    this.timeouts = { ...DEFAULT_TIMEOUTS, ...timeouts };
  }

  /**
   * Lower case, as Ollama matches existing models case-insensitively, and may change the case of a
   * new one (server/routes.go, getExistingName).
   */
  nameOf(model: string): string {
    return model.toLowerCase();
  }

  async health(signal: AbortSignal): Promise<EngineHealth> {
    const [{ version }, running] = await Promise.all([
      this.client.json("GET", "/api/version", VERSION, { signal }),
      this.running(signal),
    ]);
    return { version, gpu: running.length === 0 ? undefined : running.some(({ size_vram }) => size_vram > 0) };
  }

  async models(signal: AbortSignal): Promise<readonly EngineModel[]> {
    const [listed, running] = await Promise.all([this.listed(signal), this.running(signal)]);
    const byName = new Map(running.map((model) => [this.nameOf(model.name), model]));
    return listed.map(({ name, size }) => {
      const loaded = byName.get(this.nameOf(name));
      return {
        name: this.nameOf(name),
        diskBytes: size,
        loaded: loaded !== undefined,
        memoryBytes: loaded?.size,
        gpuBytes: loaded?.size_vram,
        useMark: loaded?.expires_at,
        expiresAt: expiryOf(loaded?.expires_at),
      };
    });
  }

  async pull(model: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal): Promise<void> {
    const body = { model, stream: true, insecure: this.insecureRegistries.has(hostOf(model)?.toLowerCase() ?? "") };
    const meter = new PullMeter();
    const stall = new StallTimer(
      (seconds) => new EngineUnavailable(`the pull of ${model} made no progress for ${seconds} s`),
    );
    const { pullStallSeconds, verifySeconds } = this.timeouts;
    stall.restart(pullStallSeconds);
    let last = "";
    let completed = -1;
    try {
      const lines = this.client.lines("POST", "/api/pull", {
        body,
        signal: AbortSignal.any([signal, stall.signal]),
        timeoutSeconds: pullStallSeconds,
      });
      for await (const text of lines) {
        const line = pullLine(model, text);
        if (line.error !== undefined) {
          throw pullError(model, line.error);
        }
        const status = line.status === undefined ? last : shortened(line.status, 100);
        if (line.digest !== undefined && line.total !== undefined) {
          onProgress(meter.update(line.digest, line.total, line.completed ?? 0));
        }
        const bytes = meter.sum.completedBytes;
        if (status !== last || bytes > completed) {
          // Ollama reports no progress while it verifies all bytes.
          stall.restart(status.startsWith("verifying") ? verifySeconds : pullStallSeconds);
        }
        last = status;
        completed = bytes;
      }
    } finally {
      stall.stop();
    }
    if (last !== "success") {
      throw new EngineUnavailable(`the pull of ${model} ended with "${last}" instead of "success"`);
    }
  }

  async load(model: string, signal: AbortSignal): Promise<void> {
    await this.touch(model, this.timeouts.loadSeconds, signal);
  }

  /**
   * Ollama reports only when the last request ended. An empty request, which computes nothing,
   * changes that time only if no other runs.
   */
  async inUse(model: string, signal: AbortSignal): Promise<boolean> {
    const before = await this.expiry(model, signal);
    if (before === undefined) {
      return false;
    }
    await this.touch(model, TOUCH_SECONDS, signal);
    const moved = async () => (await this.expiry(model, signal)) !== before;
    return !(await waitUntil(moved, { seconds: this.timeouts.noticeSeconds, everySeconds: 0.05, signal }));
  }

  async unload(model: string, signal: AbortSignal): Promise<void> {
    if (!(await this.isLoaded(model, signal))) {
      return;
    }
    await this.call(model, "/api/generate", { model, keep_alive: 0, stream: false }, signal);
    // Ollama answers at once, and unloads after the last running request.
    const seconds = this.timeouts.unloadSeconds;
    const gone = await waitUntil(async () => !(await this.isLoaded(model, signal)), {
      seconds,
      everySeconds: 0.1,
      signal,
    });
    if (!gone) {
      // Cancels the pending unload: later, the model may be in use or pinned.
      await this.touch(model, TOUCH_SECONDS, signal);
      throw new EngineUnavailable(`${model} is still in use ${seconds} s after the unload request: it stays loaded`);
    }
  }

  /** Ollama lists every manifest, even if a layer's file is missing. */
  async has(model: string, signal: AbortSignal): Promise<boolean> {
    const status = await this.client.status("POST", "/api/show", { body: { model }, signal });
    if (status === 200 || status === 404) {
      return status === 200;
    }
    throw this.client.refusal("POST", "/api/show", { status, text: "" });
  }

  async purge(model: string, signal: AbortSignal): Promise<void> {
    const answer = await this.client.answer("DELETE", "/api/delete", { body: { model }, signal });
    if (answer.status === 404) {
      throw new UnknownModel(`${model} is not on the worker's disk`);
    }
    if (answer.status !== 200) {
      throw this.client.refusal("DELETE", "/api/delete", answer);
    }
  }

  async *generate(request: GenerationRequest, signal: AbortSignal): AsyncGenerator<GenerationEvent> {
    const { model, input, seconds, maxTokens, sampling } = request;
    const path = "messages" in input ? "/api/chat" : "/api/generate";
    const options = { num_predict: maxTokens, ...samplingOptions(sampling) };
    // Without `keep_alive`, this request would set Ollama's default expiry.
    const body = { model, ...input, stream: true, keep_alive: FOREVER, options };
    for await (const text of this.client.lines("POST", path, { body, signal, timeoutSeconds: seconds })) {
      const line = this.client.checked(`POST ${path}`, text, GENERATED_LINE);
      if (line.error !== undefined) {
        throw new EngineRefusal("Ollama broke off its answer", { retryable: true });
      }
      yield { type: "text", text: line.message?.content ?? line.response ?? "" };
      if (line.done) {
        yield {
          type: "end",
          finishReason: finishReasonOf(line.done_reason),
          promptTokens: line.prompt_eval_count,
          completionTokens: line.eval_count,
        };
        return;
      }
    }
    throw new EngineUnavailable("Ollama ended its answer without a final message");
  }

  private async listed(signal: AbortSignal): Promise<readonly ListedModel[]> {
    const { models } = await this.client.json("GET", "/api/tags", LISTED, { signal });
    return models.filter(({ remote_host }) => !remote_host);
  }

  private async running(signal: AbortSignal): Promise<readonly RunningModel[]> {
    return (await this.client.json("GET", "/api/ps", RUNNING, { signal })).models;
  }

  /** Loads a model, or marks a loaded one as used. */
  private async touch(model: string, seconds: number, signal: AbortSignal): Promise<void> {
    const shown = await this.call(model, "/api/show", { model }, signal);
    const { capabilities } = this.client.checked("POST /api/show", shown, SHOWN);
    // An empty prompt only loads; embedding models need empty input instead.
    const generates = capabilities === undefined || capabilities.includes("completion");
    const body = { model, keep_alive: FOREVER, stream: false };
    await (generates
      ? this.call(model, "/api/generate", body, signal, seconds)
      : this.call(model, "/api/embed", { ...body, input: "" }, signal, seconds));
  }

  private async isLoaded(model: string, signal: AbortSignal): Promise<boolean> {
    return (await this.expiry(model, signal)) !== undefined;
  }

  /** Undefined if not loaded. */
  private async expiry(model: string, signal: AbortSignal): Promise<string | undefined> {
    return (await this.running(signal)).find(({ name }) => this.nameOf(name) === model)?.expires_at;
  }

  private async call(
    model: string,
    path: string,
    body: object,
    signal: AbortSignal,
    timeoutSeconds?: number,
  ): Promise<string> {
    const answer = await this.client.answer("POST", path, { body, signal, timeoutSeconds });
    if (answer.status === 404) {
      throw new UnknownModel(`${model} is not on the worker's disk`);
    }
    if (answer.status !== 200) {
      throw this.client.refusal("POST", path, answer);
    }
    return answer.text;
  }
}

function samplingOptions({ temperature, topP, seed, stop }: Sampling): object {
  return { temperature, top_p: topP, seed, stop };
}

/** Ollama shows "never" as some 292 years ahead, Go's longest duration. */
const FOREVER_MS = 100 * 365 * 24 * 3600 * 1000;

function expiryOf(text: string | undefined): Date | undefined {
  const time = Date.parse(text ?? "");
  return time - Date.now() < FOREVER_MS ? new Date(time) : undefined;
}

/** Registry host in `[host/namespace/]model:tag`. */
function hostOf(model: string): string | undefined {
  const parts = model.split("/");
  return parts.length > 2 ? parts[0] : undefined;
}

/** @throws EngineUnavailable for a line that Ollama never sends. */
function pullLine(model: string, text: string): z.output<typeof PULL_LINE> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // Refused below, like any invalid line.
  }
  const result = PULL_LINE.safeParse(content);
  if (result.success) {
    return result.data;
  }
  throw new EngineUnavailable(
    `the pull of ${model} answered with something else than progress: ${shortened(text, 200)}`,
  );
}

/** Ollama reports errors in the last line of a 200 response. */
function pullError(model: string, words: string): Error {
  if (/^pull model manifest: .*(file does not exist|not found|404)/i.test(words)) {
    return new UnknownModel(`the registry has no model ${model}`);
  }
  return new EngineRefusal(`the pull of ${model} failed: ${shortened(words)}`, { retryable: isPassing(words) });
}

/** Whether the message indicates a temporary network or registry problem. */
export function isPassing(words: string): boolean {
  return /dial tcp|lookup |no such host|connection (refused|reset)|broken pipe|time-?out|deadline exceeded|handshake|EOF|max retries exceeded|\b(429|5\d\d)\b|digest mismatch/i.test(
    words,
  );
}
