import { z } from "zod";
import { EngineRefusal, EngineUnavailable, NotSupported, UnknownModel } from "../errors";
import { shortened } from "../words";
import type { Backend, EngineHealth, EngineModel, PullProgress } from "./backend";
import { type EngineAnswer, EngineClient } from "./engine-client";
import { DEFAULT_TIMEOUTS, type EngineTimeouts } from "./engine-timeouts";
import { finishReasonOf, type GenerationEvent, type GenerationRequest } from "./generation";
import { engineName, listOf, shortText } from "./shapes";
import { dataOf } from "./sse";
import { waitUntil } from "./wait";

// Source: docs/protocol/extension_model_repository.md and extension_statistics.md of
// triton-inference-server/server.
const SERVER = z.object({ version: shortText.optional() });
const INDEX = listOf(
  z.object({
    name: engineName,
    /** Absent if never loaded. */
    state: shortText.optional(),
    reason: z.string().optional(),
  }),
);
const STATISTICS = z.object({
  model_stats: listOf(
    z.object({
      name: engineName,
      /** Milliseconds since the epoch; 0 before the first request. */
      last_inference: z.number(),
    }),
  ),
});
// Source: docs/protocol/extension_model_configuration.md and extension_generate.md of
// triton-inference-server/server.
const CONFIG = z.object({
  input: listOf(z.object({ name: engineName })),
  output: listOf(z.object({ name: engineName })),
  model_transaction_policy: z.object({ decoupled: z.boolean().optional() }).optional(),
});
const GENERATED = z.object({
  text_output: z.string().optional(),
  finish_reason: z.string().max(100).nullish(),
  error: z.unknown().optional(),
});
type IndexEntry = z.output<typeof INDEX>[number];
type ModelStatistics = z.output<typeof STATISTICS>["model_stats"][number];

/** Triton's error without `--model-control-mode=explicit`. */
const NOT_EXPLICIT = "explicit model load / unload is not allowed";

/** One Triton server in explicit mode. It cannot pull models, and does not report their sizes. */
export class TritonBackend implements Backend {
  readonly kind = "triton";
  readonly can = { pull: false, purge: false, load: true } as const;
  private readonly client: EngineClient;
  private readonly timeouts: EngineTimeouts;

  constructor(url: string, { timeouts = {} }: { readonly timeouts?: Partial<EngineTimeouts> } = {}) {
    this.client = new EngineClient(url);
    this.timeouts = { ...DEFAULT_TIMEOUTS, ...timeouts };
  }

  /** Triton's names have no tag. */
  nameOf(model: string): string {
    return model.replace(/:latest$/, "");
  }

  async health(signal: AbortSignal): Promise<EngineHealth> {
    const [, { version }] = await Promise.all([
      this.client.done("GET", "/v2/health/live", { signal }),
      this.client.json("GET", "/v2", SERVER, { signal }),
    ]);
    return { version };
  }

  async models(signal: AbortSignal): Promise<readonly EngineModel[]> {
    const [index, statistics] = await Promise.all([this.index(signal), this.statistics(signal)]);
    const names = [...new Set(index.map(({ name }) => name))];
    return names.map((name) => {
      const lastInference = Math.max(
        0,
        ...statistics.filter((one) => one.name === name).map((one) => one.last_inference),
      );
      const loaded = isReady(index, name);
      return { name, loaded, useMark: loaded ? String(lastInference) : undefined };
    });
  }

  async pull(model: string, _onProgress: (progress: PullProgress) => void, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    throw new NotSupported(`Triton cannot fetch ${model}: put it into its model repository, then load it`);
  }

  async load(model: string, signal: AbortSignal): Promise<void> {
    await this.requireInRepository(model, signal);
    await this.control(model, "load", signal, this.timeouts.loadSeconds);
    const index = await this.index(signal);
    if (isReady(index, model)) {
      return;
    }
    const reasons = index.filter(({ name, reason }) => name === model && reason).map(({ reason }) => reason);
    throw new EngineRefusal(`Triton did not load ${model}: ${shortened(reasons.join("; ")) || "no reason given"}`);
  }

  async unload(model: string, signal: AbortSignal): Promise<void> {
    const index = await this.requireInRepository(model, signal);
    if (!isLoaded(index, model)) {
      return;
    }
    const seconds = this.timeouts.unloadSeconds;
    await this.control(model, "unload", signal, seconds);
    // Triton answers at once, and unloads after the last running request.
    const ask = async () => !isLoaded(await this.index(signal), model);
    const gone = await waitUntil(ask, { seconds, everySeconds: 0.2, signal });
    if (!gone) {
      throw new EngineUnavailable(`${model} is still loaded ${seconds} s after the unload request`);
    }
  }

  /** Not available over HTTP; Triton unloads after the last running request. */
  async inUse(_model: string, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    return false;
  }

  async has(model: string, signal: AbortSignal): Promise<boolean> {
    return (await this.index(signal)).some(({ name }) => name === model);
  }

  async purge(model: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    throw new NotSupported(`Triton cannot delete ${model}: remove it from its model repository`);
  }

  async *generate(request: GenerationRequest, signal: AbortSignal): AsyncGenerator<GenerationEvent> {
    const { model, input, seconds } = request;
    if (!("prompt" in input)) {
      throw new NotSupported(`Triton has no chat template for ${model}: give a prompt instead of messages`);
    }
    const name = encodeURIComponent(model);
    const config = await this.client.json("GET", `/v2/models/${name}/config`, CONFIG, { signal });
    const body = { text_input: input.prompt, ...parametersOf(config, request) };
    const path = `/v2/models/${name}/generate_stream`;
    let words: string | null | undefined;
    for await (const data of dataOf(this.client.lines("POST", path, { body, signal, timeoutSeconds: seconds }))) {
      const event = this.client.checked(`POST ${path}`, data, GENERATED);
      if (event.error !== undefined) {
        throw new EngineRefusal("Triton broke off its answer", { retryable: true });
      }
      yield { type: "text", text: event.text_output ?? "" };
      words = event.finish_reason ?? words;
    }
    // Models without a finish reason have finished; they report no token counts either.
    yield { type: "end", finishReason: finishReasonOf(words) };
  }

  private async index(signal: AbortSignal): Promise<readonly IndexEntry[]> {
    return this.client.json("POST", "/v2/repository/index", INDEX, { body: {}, signal });
  }

  /** Empty when statistics are disabled. */
  private async statistics(signal: AbortSignal): Promise<readonly ModelStatistics[]> {
    const answer = await this.client.answer("GET", "/v2/models/stats", { signal });
    if (answer.status !== 200) {
      return [];
    }
    return this.client.checked("GET /v2/models/stats", answer.text, STATISTICS).model_stats;
  }

  private async requireInRepository(model: string, signal: AbortSignal): Promise<readonly IndexEntry[]> {
    const index = await this.index(signal);
    if (index.some(({ name }) => name === model)) {
      return index;
    }
    throw new UnknownModel(`${model} is not in Triton's model repository`);
  }

  private async control(
    model: string,
    verb: "load" | "unload",
    signal: AbortSignal,
    timeoutSeconds: number,
  ): Promise<void> {
    const path = `/v2/repository/models/${encodeURIComponent(model)}/${verb}`;
    const answer = await this.client.answer("POST", path, { body: {}, signal, timeoutSeconds });
    if (answer.status !== 200) {
      throw this.controlError(path, answer);
    }
  }

  private controlError(path: string, answer: EngineAnswer): Error {
    if (!answer.text.includes(NOT_EXPLICIT)) {
      return this.client.refusal("POST", path, answer);
    }
    return new NotSupported(
      "Triton loads and unloads models only when it was started with --model-control-mode=explicit",
    );
  }
}

/**
 * Maps answer limits to the model's inputs: TensorRT-LLM's `llmapi` has one per limit, the vLLM
 * backend takes JSON text (vllm_backend, src/model.py; read 2026-11-24).
 *
 * @throws NotSupported for a model without text input, or with other inputs.
 */
function parametersOf(
  { input, output, model_transaction_policy }: z.output<typeof CONFIG>,
  { model, maxTokens, sampling: { temperature, topP, seed, stop } }: GenerationRequest,
): object {
  const takes = (name: string) => input.some((one) => one.name === name);
  const streams = model_transaction_policy?.decoupled === true;
  if (!takes("text_input") || !output.some(({ name }) => name === "text_output")) {
    throw new NotSupported(
      `${model} on Triton writes no text: it lacks the input text_input and the output text_output`,
    );
  }
  if (takes("sampling_param_max_tokens")) {
    return {
      streaming: streams,
      return_finish_reason: true,
      sampling_param_exclude_input_from_output: true,
      sampling_param_max_tokens: maxTokens,
      sampling_param_temperature: temperature,
      sampling_param_top_p: topP,
      sampling_param_seed: seed,
      sampling_param_stop: stop,
    };
  }
  if (takes("sampling_parameters")) {
    const sampling = { max_tokens: maxTokens, temperature, top_p: topP, seed, stop };
    return { stream: streams, exclude_input_in_output: true, sampling_parameters: JSON.stringify(sampling) };
  }
  throw new NotSupported(
    `${model} on Triton takes no limit of tokens: neither sampling_param_max_tokens nor sampling_parameters`,
  );
}

function isReady(index: readonly IndexEntry[], model: string): boolean {
  return index.some(({ name, state }) => name === model && state === "READY");
}

/** Whether it uses memory, including while loading or unloading. */
function isLoaded(index: readonly IndexEntry[], model: string): boolean {
  return index.some(({ name, state }) => name === model && ["READY", "LOADING", "UNLOADING"].includes(state ?? ""));
}
