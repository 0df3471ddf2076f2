import { z } from "zod";
import { EngineRefusal, EngineUnavailable, NotSupported, UnknownModel } from "../errors";
import type { Backend, EngineHealth, EngineModel, PullProgress } from "./backend";
import { EngineClient } from "./engine-client";
import { DEFAULT_TIMEOUTS, type EngineTimeouts } from "./engine-timeouts";
import { finishReasonOf, type GenerationEvent, type GenerationRequest } from "./generation";
import { engineName, listOf, shortText, tokenCount } from "./shapes";
import { dataOf } from "./sse";
import { waitUntil } from "./wait";

const NO_SLEEP =
  "this vLLM cannot free its memory: it needs --enable-sleep-mode and VLLM_SERVER_DEV_MODE=1, and no client but this API may reach it then";

const SERVER = z.object({ version: shortText.optional() });
const SERVED = z.object({ data: listOf(z.object({ id: engineName })) });
const SLEEP = z.object({ is_sleeping: z.boolean() });
/** Requests in progress (vLLM v0.33.0 vllm/entrypoints/serve/instrumentator/basic.py). */
const LOAD = z.object({ server_load: z.number() });
/** Streamed event of a chat or completion (vLLM v0.33.0 vllm/entrypoints/openai). */
const STREAMED = z.object({
  choices: listOf(
    z.object({
      text: z.string().nullish(),
      delta: z.object({ content: z.string().nullish() }).optional(),
      finish_reason: shortText.nullish(),
    }),
  ),
  usage: z.object({ prompt_tokens: tokenCount, completion_tokens: tokenCount.optional() }).nullish(),
  error: z.unknown().optional(),
});

/**
 * Metrics of vLLM v0.33.0 (vllm/v1/metrics/loggers.py): finished requests, and running or waiting
 * ones.
 */
export const VLLM_SERIES = {
  ended: ["vllm:request_success_total"],
  underWay: ["vllm:num_requests_running", "vllm:num_requests_waiting"],
} as const;

/** Request counts over all models of the server. */
interface Requests {
  readonly ended: number;
  readonly underWay: number;
}

export interface VllmOptions {
  /** Models served from startup, without LoRA adapters, which load and unload with them. */
  readonly models: readonly string[];
  readonly timeouts?: Partial<EngineTimeouts>;
}

/**
 * One vLLM server with fixed models. With sleep mode, "unloaded" is level 1: weights move to system
 * memory and free the GPU. All models of a server sleep and wake together.
 */
export class VllmBackend implements Backend {
  readonly kind = "vllm";
  readonly can = { pull: false, purge: false, load: true } as const;
  private readonly client: EngineClient;
  private readonly served: ReadonlySet<string>;
  private readonly timeouts: EngineTimeouts;

  constructor(url: string, { models, timeouts = {} }: VllmOptions) {
    this.client = new EngineClient(url);
    this.served = new Set(models);
    this.timeouts = { ...DEFAULT_TIMEOUTS, ...timeouts };
  }

  nameOf(model: string): string {
    return model;
  }

  async health(signal: AbortSignal): Promise<EngineHealth> {
    const [, { version }] = await Promise.all([
      this.client.done("GET", "/health", { signal }),
      this.client.json("GET", "/version", SERVER, { signal }),
    ]);
    return { version };
  }

  async models(signal: AbortSignal): Promise<readonly EngineModel[]> {
    const [{ data }, sleeping, requests] = await Promise.all([
      this.client.json("GET", "/v1/models", SERVED, { signal }),
      this.isSleeping(signal),
      this.requests(signal),
    ]);
    const awake = {
      loaded: true,
      useMark: requests && String(requests.ended),
      inUse: requests && requests.underWay > 0,
    };
    const state = { ...(sleeping ? { loaded: false } : awake), canUnload: sleeping !== undefined };
    return data.filter(({ id }) => this.served.has(id)).map(({ id }) => ({ name: id, ...state }));
  }

  async pull(model: string, _onProgress: (progress: PullProgress) => void, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    throw new NotSupported(`vLLM cannot fetch ${model}: it serves the models that it was started with`);
  }

  async load(model: string, signal: AbortSignal): Promise<void> {
    this.requireServed(model);
    const sleeping = await this.isSleeping(signal);
    // Without sleep mode, a responding server is loaded.
    if (sleeping === false || sleeping === undefined) {
      return;
    }
    await this.client.done("POST", "/wake_up", { signal, timeoutSeconds: this.timeouts.loadSeconds });
    await this.settle(false, this.timeouts.loadSeconds, signal);
  }

  async unload(model: string, signal: AbortSignal): Promise<void> {
    this.requireServed(model);
    const sleeping = await this.isSleeping(signal);
    if (sleeping === undefined) {
      throw new NotSupported(NO_SLEEP);
    }
    if (sleeping) {
      return;
    }
    const timeoutSeconds = this.timeouts.unloadSeconds;
    // Running requests finish first; servers without `mode` abort them.
    await this.client.done("POST", "/sleep?level=1&mode=wait", { signal, timeoutSeconds });
    await this.settle(true, timeoutSeconds, signal);
  }

  async inUse(model: string, signal: AbortSignal): Promise<boolean> {
    this.requireServed(model);
    const requests = await this.requests(signal);
    return requests !== undefined && requests.underWay > 0;
  }

  /**
   * Metrics omit requests received during sleep. `/load` counts them for all models, if started
   * with `--enable-server-load-tracking`; otherwise it stays 0.
   */
  async awaited(signal: AbortSignal): Promise<readonly string[]> {
    if ((await this.isSleeping(signal)) !== true) {
      return [];
    }
    const { server_load } = await this.client.json("GET", "/load", LOAD, { signal });
    return server_load > 0 ? [...this.served] : [];
  }

  async has(model: string, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    return this.served.has(model);
  }

  async purge(model: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    throw new NotSupported(`vLLM cannot delete ${model}: it serves the models that it was started with`);
  }

  async *generate(request: GenerationRequest, signal: AbortSignal): AsyncGenerator<GenerationEvent> {
    const { model, input, maxTokens, seconds, consumer } = request;
    const { temperature, topP, seed, stop } = request.sampling;
    const path = "messages" in input ? "/v1/chat/completions" : "/v1/completions";
    const body = {
      model,
      ...input,
      max_tokens: maxTokens,
      ...{ temperature, top_p: topP, seed, stop },
      stream: true,
      stream_options: { include_usage: true },
    };
    let finishReason: "stop" | "length" | undefined;
    let usage: z.output<typeof STREAMED>["usage"];
    const lines = this.client.lines("POST", path, { body, signal, consumer, timeoutSeconds: seconds });
    for await (const data of dataOf(lines)) {
      if (data === "[DONE]") {
        break;
      }
      const event = this.client.checked(`POST ${path}`, data, STREAMED);
      if (event.error !== undefined) {
        throw new EngineRefusal("vLLM broke off its answer", { retryable: true });
      }
      const [choice] = event.choices;
      usage = event.usage ?? usage;
      if (choice === undefined) {
        continue;
      }
      yield { type: "text", text: choice.delta?.content ?? choice.text ?? "" };
      if (choice.finish_reason) {
        finishReason = finishReasonOf(choice.finish_reason);
      }
    }
    if (finishReason === undefined) {
      throw new EngineUnavailable("vLLM ended its answer without a final message");
    }
    yield {
      type: "end",
      finishReason,
      promptTokens: usage?.prompt_tokens,
      completionTokens: usage?.completion_tokens,
    };
  }

  private requireServed(model: string): void {
    if (!this.served.has(model)) {
      throw new UnknownModel(`this vLLM does not serve ${model}`);
    }
  }

  /** Undefined without this route, which needs VLLM_SERVER_DEV_MODE=1. */
  private async isSleeping(signal: AbortSignal): Promise<boolean | undefined> {
    const answer = await this.client.answer("GET", "/is_sleeping", { signal });
    if (answer.status === 404) {
      return undefined;
    }
    if (answer.status !== 200) {
      throw this.client.refusal("GET", "/is_sleeping", answer);
    }
    return this.client.checked("GET /is_sleeping", answer.text, SLEEP).is_sleeping;
  }

  private async settle(sleeping: boolean, seconds: number, signal: AbortSignal): Promise<void> {
    const ask = async () => (await this.isSleeping(signal)) === sleeping;
    if (await waitUntil(ask, { seconds: Math.min(seconds, 30), everySeconds: 0.2, signal })) {
      return;
    }
    // Without --enable-sleep-mode, the server accepts the call and ignores it.
    if (sleeping) {
      throw new NotSupported(NO_SLEEP);
    }
    throw new EngineUnavailable("vLLM is still asleep after it was woken");
  }

  private async requests(signal: AbortSignal): Promise<Requests | undefined> {
    const answer = await this.client.answer("GET", "/metrics", { signal });
    return answer.status === 200
      ? { ended: sumOf(answer.text, VLLM_SERIES.ended), underWay: sumOf(answer.text, VLLM_SERIES.underWay) }
      : undefined;
  }
}

function sumOf(metrics: string, names: readonly string[]): number {
  const samples = new RegExp(`^(?:${names.join("|")})\\{[^}\\n]*\\} +(?<value>\\S+)`, "gm");
  return [...metrics.matchAll(samples)].reduce((sum, { groups }) => sum + Number(groups?.value), 0);
}
