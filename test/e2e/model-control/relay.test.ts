/** The relay, as its image runs it, before two real Ollama servers that the real API drives: what comes at run time, what never passes, who stays loaded. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REFUSED_CALLS } from "./refused-calls";
import { type Ollama, type Redis, type Registry, startOllama, startRedis, startRegistry } from "./registry";
import { tinyLlama } from "./registry/tiny-llama";
import { Api, ApiBundle } from "./start-api";
import { type RelayProcess, startRelayProcess } from "./start-relay";

const CHAT = "/v1/chat/completions";

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

describe("the relay before real Ollama servers", () => {
  let bundle: ApiBundle;
  let redis: Redis;
  let registry: Registry;
  let ollamas: readonly Ollama[] = [];
  let api: Api;
  let relay: RelayProcess;
  let pinned = "";
  const at = (index: number) => ollamas[index]?.url ?? "";

  beforeAll(async () => {
    bundle = ApiBundle.build();
    // One at a time: whoever has another loaded, has the pinned one unloaded.
    const env = { OLLAMA_MAX_LOADED_MODELS: "1", OLLAMA_KEEP_ALIVE: "-1" };
    [redis, registry, ...ollamas] = await Promise.all([
      startRedis(),
      startRegistry(),
      startOllama(env),
      startOllama({ ...env, OLLAMA_MAX_LOADED_MODELS: "4" }),
    ]);
    pinned = publish("pinned");
    api = await Api.start(bundle, {
      redis: { url: redis.url },
      registries: { insecure: [registry.host] },
      workers: [0, 1].map((index) => ({
        name: `w${index}`,
        backend: "ollama",
        url: at(index),
        memoryBytes: 8e9,
        ...(index === 0 && { pins: [pinned] }),
      })),
    });
    relay = await startRelayProcess(bundle, {
      workers: [0, 1].map((index) => ({ name: `w${index}`, url: at(index) })),
      tenants: { web: {}, lab: { models: [pinned] }, batch: { ollamaApi: false } },
      ollamaApi: true,
    });
    await api.process.waitForOutput(/the task queue is connected/, 20);
    await pull(pinned, "w0");
  });
  afterAll(async () => {
    await Promise.all([relay?.process.stop(), api?.process.stop()]);
    await Promise.all([redis?.stop(), registry?.stop(), ...ollamas.map((ollama) => ollama.stop())]);
    bundle?.remove();
  });

  /** Under the same name, the same weights; no others' under another: Ollama keeps one copy of what is equal. */
  function publish(name: string): string {
    const names = ["pinned", "tiny", "asleep", "spare"];
    return registry.publish(`${name}:latest`, tinyLlama({ seed: 40 + names.indexOf(name) }));
  }

  async function pull(model: string, worker: string, options: object = {}): Promise<void> {
    const { state, error } = await api.ended(await api.pull(model, { worker, ...options }));
    expect([state, error]).toEqual(["completed", undefined]);
  }

  async function ask(path: string, body?: unknown, tenant = "web"): Promise<Answer> {
    const response = await fetch(`${relay.url}${path}`, {
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      headers: { "x-consumer-id": tenant },
    });
    return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
  }

  async function loaded(index: number): Promise<readonly string[]> {
    const { models } = (await (await fetch(`${at(index)}/api/ps`)).json()) as { models: { readonly name: string }[] };
    return models.map(({ name }) => name);
  }

  it("answers for a model that was pulled, under its own name, from the worker that has it", async () => {
    const tiny = publish("tiny");
    expect((await ask(CHAT, { model: tiny, messages: [{ role: "user", content: "hi" }] })).status).toBe(404);
    await pull(tiny, "w1");
    const ended = performance.now();
    const chat = { model: tiny, messages: [{ role: "user", content: "hi" }], max_tokens: 4 };
    await expect.poll(async () => (await ask(CHAT, chat)).status, { timeout: 10_000, interval: 100 }).toBe(200);
    console.log(`answered ${Math.round(performance.now() - ended)} ms after the pull's end`);
    const answer = await ask(CHAT, chat);
    expect(JSON.parse(answer.text)).toMatchObject({
      object: "chat.completion",
      choices: [{ message: { role: "assistant" } }],
      usage: { completion_tokens: 4 },
    });
    expect((await ask("/v1/completions", { model: tiny, prompt: "a", max_tokens: 2 })).status).toBe(200);
    expect([await loaded(0), await loaded(1)]).toEqual([[pinned], [tiny]]);
  });

  it("streams both APIs, event by event and line by line", async () => {
    const messages = [{ role: "user", content: "hi" }];
    const events = await ask(CHAT, { model: pinned, messages, max_tokens: 5, stream: true });
    expect([events.status, events.type]).toEqual([200, "text/event-stream"]);
    expect(events.text).toMatch(/^data: \{.*\}\n\n[\s\S]*data: \[DONE\]\n\n$/);
    const lines = await ask("/api/chat", { model: pinned, messages, options: { num_predict: 5, temperature: 0 } });
    expect([lines.status, lines.type]).toEqual([200, "application/x-ndjson"]);
    const parts = lines.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly done: boolean; readonly eval_count?: number });
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.map(({ done }) => done)).toEqual([...Array(parts.length - 1).fill(false), true]);
    expect(parts.at(-1)?.eval_count).toBeGreaterThan(0);
    const whole = await ask("/api/generate", {
      model: pinned,
      prompt: "a",
      stream: false,
      options: { num_predict: 3 },
    });
    expect(JSON.parse(whole.text)).toMatchObject({ done: true, response: expect.any(String) });
  });

  it("describes what there is", async () => {
    const names = ({ text }: Answer) =>
      (JSON.parse(text) as { models: { readonly name: string }[] }).models.map(({ name }) => name).sort();
    expect(names(await ask("/api/tags"))).toEqual([pinned, publish("tiny")].sort());
    expect(names(await ask("/api/ps", undefined, "lab"))).toEqual([pinned]);
    expect(JSON.parse((await ask("/api/version")).text)).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(JSON.parse((await ask("/api/show", { model: pinned })).text)).toMatchObject({
      details: { family: "llama" },
    });
  });

  it("refuses what would have the pinned model leave", async () => {
    const asleep = publish("asleep");
    await pull(asleep, "w0", { load: false });
    await expect.poll(async () => (await ask("/api/tags")).text, { timeout: 10_000 }).toContain(asleep);
    const before = await loaded(0);
    expect(before).toEqual([pinned]);
    const [messages, prompt] = [[{ role: "user", content: "hi" }], "a"];
    const refused = [
      await ask(CHAT, { model: asleep, messages }),
      await ask("/api/chat", { model: asleep, messages }),
      await ask("/api/generate", { model: asleep, prompt }),
      await ask("/api/embed", { model: asleep, input: prompt }),
      await ask("/api/generate", { model: pinned, prompt, options: { num_ctx: 64 } }),
      await ask("/api/generate", { model: pinned, MODEL: asleep, prompt }),
      await ask("/api/generate", { model: pinned, Keep_Alive: 0 }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503, 503, 400, 400, 400]);
    // As clients that let their models go do.
    expect((await ask("/api/generate", { model: pinned, keep_alive: 0 })).status).toBe(200);
    expect((await ask("/api/chat", { model: pinned, messages: [], keep_alive: "0s" })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await loaded(0)).toEqual([pinned]);
  });

  // What the relay keeps from Ollama, Ollama does: these are no checks that cannot fail.
  it("has Ollama in front of itself that does all that when it is asked directly", async () => {
    const spare = publish("spare");
    await pull(spare, "w1");
    const response = await fetch(`${at(1)}/api/generate`, {
      method: "POST",
      body: JSON.stringify({ model: "nothing", MODEL: spare, Keep_Alive: 0, stream: false }),
    });
    expect(response.status).toBe(200);
    await expect.poll(() => loaded(1), { timeout: 10_000 }).not.toContain(spare);
  });

  it.each(REFUSED_CALLS)("never passes %s %s on", async (method, path) => {
    const before = (await ask("/api/tags")).text;
    const body = JSON.stringify({ model: pinned, source: pinned, destination: "copy", from: pinned });
    const { status } = await fetch(`${relay.url}${path}`, { method, body, headers: { "x-consumer-id": "web" } });
    expect(status).toBe(404);
    expect((await ask("/api/tags")).text).toBe(before);
  });

  it("keeps tenants to what is theirs", async () => {
    const tiny = publish("tiny");
    const chat = (model: string) => ({ model, messages: [{ role: "user", content: "hi" }], max_tokens: 1 });
    expect((await ask(CHAT, chat(pinned), "lab")).status).toBe(200);
    expect((await ask(CHAT, chat(tiny), "lab")).status).toBe(403);
    expect((await ask(CHAT, chat(tiny), "batch")).status).toBe(200);
    expect((await ask("/api/chat", chat(tiny), "batch")).status).toBe(403);
    expect((await ask(CHAT, chat(tiny), "stranger")).status).toBe(403);
  });

  it("stops the engine when its client leaves", async () => {
    const client = new AbortController();
    const body = { model: pinned, prompt: "a", options: { num_predict: -1, temperature: 1 }, raw: true };
    const response = await fetch(`${relay.url}/api/generate`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "x-consumer-id": "web" },
      signal: client.signal,
    });
    await response.body?.getReader().read();
    client.abort();
    const running = async () =>
      /model_relay_requests_running (\d+)/.exec(await (await fetch(`${relay.adminUrl}/metrics`)).text())?.[1];
    await expect.poll(running, { timeout: 5_000 }).toBe("0");
  });

  it("breaks the answer off when the engine is killed in the middle, and says that it is away", async () => {
    const body = { model: pinned, prompt: "a", options: { num_predict: -1 }, raw: true };
    const response = await fetch(`${relay.url}/api/generate`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "x-consumer-id": "web" },
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await ollamas[0]?.process.kill();
    const rest = async () => {
      while (!(await reader?.read())?.done) {}
    };
    await expect(rest()).rejects.toThrow();
    expect(JSON.parse((await ask(CHAT, { model: pinned, messages: [] })).text)).toMatchObject({
      error: { code: "model_away" },
    });
  });

  it("ends when it is told to", async () => {
    const asked = performance.now();
    await relay.process.terminate();
    expect(performance.now() - asked).toBeLessThan(10_000);
    expect(relay.process.output()).toContain("shutting down");
  });
});
