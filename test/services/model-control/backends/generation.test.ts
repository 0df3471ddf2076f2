/** What each engine is asked when a model is to write, and how its stream is read. */
import { afterEach, describe, expect, test } from "vitest";
import type { Backend } from "../../../../services/model-control/src/backends/backend";
import type { GenerationEvent, GenerationRequest } from "../../../../services/model-control/src/backends/generation";
import { OllamaBackend } from "../../../../services/model-control/src/backends/ollama";
import { TritonBackend } from "../../../../services/model-control/src/backends/triton";
import { VllmBackend } from "../../../../services/model-control/src/backends/vllm";
import { EngineRefusal, EngineUnavailable, NotSupported } from "../../../../services/model-control/src/errors";
import { HttpStub, type StubAnswer } from "../http-stub";

const signal = new AbortController().signal;
const MESSAGES = [{ role: "user" as const, content: "hello" }];
const SAMPLING = { temperature: 0.5, topP: 0.9, seed: 7, stop: ["END"] };

let stub: HttpStub | undefined;
afterEach(() => stub?.close());

async function listen(answers: Readonly<Record<string, StubAnswer>>): Promise<HttpStub> {
  stub = await HttpStub.listen(({ method, path }) => answers[`${method} ${path}`] ?? { status: 404, body: {} });
  return stub;
}

function request(input: GenerationRequest["input"]): GenerationRequest {
  return { model: "m", input, maxTokens: 5, sampling: SAMPLING, seconds: 2 };
}

async function written(backend: Backend, input: GenerationRequest["input"]): Promise<GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  for await (const event of backend.generate(request(input), signal)) {
    events.push(event);
  }
  return events;
}

/** A stream of server-sent events. */
function sse(...events: (object | string)[]): StubAnswer {
  const lines = events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  return { body: lines.join("") };
}

describe("Ollama", () => {
  const options = { num_predict: 5, temperature: 0.5, top_p: 0.9, seed: 7, stop: ["END"] };

  test("chats, and its own timer takes no model away", async () => {
    const { url, requests } = await listen({
      "POST /api/chat": {
        lines: [
          { message: { role: "assistant", content: "", thinking: "hm" }, done: false },
          { message: { role: "assistant", content: "hi" }, done: false },
          { message: { content: "" }, done: true, done_reason: "length", prompt_eval_count: 11, eval_count: 5 },
        ],
      },
    });
    expect(await written(new OllamaBackend(url), { messages: MESSAGES })).toEqual([
      { type: "text", text: "" },
      { type: "text", text: "hi" },
      { type: "text", text: "" },
      { type: "end", finishReason: "length", promptTokens: 11, completionTokens: 5 },
    ]);
    expect(requests[0]?.body).toEqual({ model: "m", messages: MESSAGES, stream: true, keep_alive: -1, options });
  });

  test("completes a prompt", async () => {
    const { url, requests } = await listen({
      "POST /api/generate": { lines: [{ response: "hi" }, { response: "", done: true, done_reason: "stop" }] },
    });
    const events = await written(new OllamaBackend(url), { prompt: "hello" });
    expect(events.at(-1)).toEqual({ type: "end", finishReason: "stop" });
    expect(requests[0]?.body).toMatchObject({ prompt: "hello", options });
  });

  test.each([
    ["breaks off", { lines: [{ response: "hi" }], breaks: true }, EngineUnavailable],
    ["ends without saying so", { lines: [{ response: "hi" }] }, EngineUnavailable],
    ["says that it failed", { lines: [{ response: "hi" }, { error: "hello hi: out of memory" }] }, EngineRefusal],
    ["says something else", { lines: [{ response: 7 }] }, EngineRefusal],
  ])("is refused when it %s", async (_, answer: StubAnswer, kind) => {
    const { url } = await listen({ "POST /api/generate": answer });
    await expect(written(new OllamaBackend(url), { prompt: "hello" })).rejects.toThrow(kind);
  });
});

describe("vLLM", () => {
  const backend = (url: string) => new VllmBackend(url, { models: ["m"] });
  const asked = {
    model: "m",
    max_tokens: 5,
    temperature: 0.5,
    top_p: 0.9,
    seed: 7,
    stop: ["END"],
    stream: true,
    stream_options: { include_usage: true },
  };

  test("chats, and counts tokens in an event of their own", async () => {
    const { url, requests } = await listen({
      "POST /v1/chat/completions": sse(
        { choices: [{ delta: { role: "assistant", content: "" }, finish_reason: null }] },
        { choices: [{ delta: { content: "hi" }, finish_reason: null }] },
        { choices: [{ delta: {}, finish_reason: "stop" }] },
        { choices: [], usage: { prompt_tokens: 11, completion_tokens: 1, total_tokens: 12 } },
        "[DONE]",
      ),
    });
    const events = await written(backend(url), { messages: MESSAGES });
    expect(events.flatMap((event) => (event.type === "text" ? event.text : []))).toEqual(["", "hi", ""]);
    expect(events.at(-1)).toEqual({ type: "end", finishReason: "stop", promptTokens: 11, completionTokens: 1 });
    expect(requests[0]?.body).toEqual({ ...asked, messages: MESSAGES });
  });

  test("completes a prompt", async () => {
    const { url, requests } = await listen({
      "POST /v1/completions": sse({ choices: [{ text: "hi", finish_reason: "length" }] }, "[DONE]"),
    });
    expect(await written(backend(url), { prompt: "hello" })).toEqual([
      { type: "text", text: "hi" },
      { type: "end", finishReason: "length" },
    ]);
    expect(requests[0]?.body).toEqual({ ...asked, prompt: "hello" });
  });

  test.each([
    ["ends without saying so", sse({ choices: [{ text: "hi", finish_reason: null }] }), EngineUnavailable],
    ["says that it failed", sse({ error: { message: "hello: too long" } }), EngineRefusal],
    ["says something else", sse("hello"), EngineRefusal],
  ])("is refused when it %s", async (_, answer, kind) => {
    const { url } = await listen({ "POST /v1/completions": answer });
    await expect(written(backend(url), { prompt: "hello" })).rejects.toThrow(kind);
  });
});

describe("Triton", () => {
  const names = (...all: string[]) => all.map((name) => ({ name, data_type: "TYPE_STRING" }));
  const config = (inputs: string[], decoupled: boolean): StubAnswer => ({
    body: { name: "m", input: names(...inputs), output: names("text_output"), model_transaction_policy: { decoupled } },
  });

  test.each([
    [
      "TensorRT-LLM's form",
      config(["text_input", "sampling_param_max_tokens"], true),
      {
        text_input: "hello",
        streaming: true,
        return_finish_reason: true,
        sampling_param_exclude_input_from_output: true,
        sampling_param_max_tokens: 5,
        sampling_param_temperature: 0.5,
        sampling_param_top_p: 0.9,
        sampling_param_seed: 7,
        sampling_param_stop: ["END"],
      },
    ],
    [
      "the vLLM back end, which answers at once",
      config(["text_input", "stream", "sampling_parameters"], false),
      {
        text_input: "hello",
        stream: false,
        exclude_input_in_output: true,
        sampling_parameters: JSON.stringify({ max_tokens: 5, temperature: 0.5, top_p: 0.9, seed: 7, stop: ["END"] }),
      },
    ],
  ])("completes a prompt with %s", async (_, configuration, body) => {
    const { url, requests } = await listen({
      "GET /v2/models/m/config": configuration,
      "POST /v2/models/m/generate_stream": sse({ text_output: "h" }, { text_output: "i", finish_reason: "length" }),
    });
    expect(await written(new TritonBackend(url), { prompt: "hello" })).toEqual([
      { type: "text", text: "h" },
      { type: "text", text: "i" },
      { type: "end", finishReason: "length" },
    ]);
    expect(requests.at(-1)?.body).toEqual(body);
  });

  test("says why a model cannot write", async () => {
    const answers = { "GET /v2/models/m/config": config(["INPUT0"], false) };
    const { url } = await listen(answers);
    const backend = new TritonBackend(url);
    await expect(written(backend, { messages: MESSAGES })).rejects.toThrow(
      new NotSupported("Triton has no chat template for m: give a prompt instead of messages"),
    );
    await expect(written(backend, { prompt: "hello" })).rejects.toThrow(/m on Triton writes no text/);
    answers["GET /v2/models/m/config"] = config(["text_input"], false);
    await expect(written(backend, { prompt: "hello" })).rejects.toThrow(/takes no limit of tokens/);
  });

  test("is refused when it says that it failed", async () => {
    const { url } = await listen({
      "GET /v2/models/m/config": config(["text_input", "sampling_param_max_tokens"], true),
      "POST /v2/models/m/generate_stream": sse({ error: "hello: too long" }),
    });
    await expect(written(new TritonBackend(url), { prompt: "hello" })).rejects.toThrow(EngineRefusal);
  });
});
