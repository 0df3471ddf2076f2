/**
 * Asynchronous inference from an environment's file to the answer: what `dev` renders of the API's configuration, tokens, keys and queue,
 * on a real Redis and a real Ollama.
 */
import { Redis as Client } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { PROMPT_MEMORY_SHARE } from "../../../services/model-control/src/tasks/memory-share";
import type { Deployment } from "../../harness/deploy";
import { changedRun } from "../../stacks/run";
import { ended, infer, look } from "./inference-calls";
import { type Ollama, type Registry, startOllama, startRegistry, tinyLlama } from "./registry";
import { lettersAndDigits, RenderedControl } from "./rendered-control";
import { ApiBundle } from "./start-api";

const IMAGE = "ghcr.io/acme/inference-model-control:1.0.0";
/** The shortest beside tasks. */
const IDLE_SECONDS = 10;
const CONSUMERS = ["web", "lab", "batch", "night"];

describe("asynchronous inference as an environment renders it", { timeout: 240_000 }, () => {
  let bundle: ApiBundle;
  let deployment: Deployment;
  /** The same, with a planned model that has an idle time. */
  let leaving: Deployment;
  let ollama: Ollama;
  let registry: Registry;
  let running: RenderedControl | undefined;

  beforeAll(async () => {
    bundle = ApiBundle.build();
    ({ deployment } = await changedRun("dev", {
      gateway: {
        hostname: "inference.example.com",
        tls: { kind: "self-signed" },
        consumers: {
          web: {},
          lab: { models: ["assistant"] },
          batch: {},
          night: {},
          counted: { tokensPerMinute: 1000 },
        },
      },
      modelControl: { enabled: true, image: IMAGE, inference: { enabled: true }, idle: { seconds: 900 } },
    }));
    ({ deployment: leaving } = await changedRun("dev", {
      modelControl: {
        enabled: true,
        image: IMAGE,
        inference: { enabled: true },
        idle: { models: { assistant: IDLE_SECONDS } },
      },
    }));
    [ollama, registry] = await Promise.all([startOllama(), startRegistry()]);
  }, 120_000);
  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });
  afterAll(async () => {
    await Promise.all([ollama?.stop(), registry?.stop()]);
    bundle?.remove();
  });

  async function control({ engineUrl = ollama.url, of = deployment } = {}): Promise<RenderedControl> {
    running = await RenderedControl.start(bundle, of, { engineUrl, registry: registry.host });
    return running;
  }

  it("has an absent model fetched and answers, for its token alone, within its limits, and says when the model leaves", async () => {
    const started = await control();
    const { api } = started;
    const token = (owner: string) => started.token(owner);
    const model = registry.publish("rendered:latest", tinyLlama({ seed: 7001 }));
    const id = await infer(api, { model, prompt: "Name a river.", options: { max_tokens: 5 } }, token("inference"));
    expect(await ended(api, id, token("inference"))).toMatchObject({
      state: "completed",
      items: [{ state: "completed", finish_reason: "length", completion_tokens: 5, text: expect.stringMatching(/./) }],
    });
    for (const other of ["inference-web", "operator", "viewer"]) {
      const { status } = await api.ask("GET", `/inference/${id}`, undefined, token(other));
      expect([other, status]).toEqual([other, other === "viewer" ? 403 : 404]);
    }
    const ask = (body: object, owner = "inference") => api.ask("POST", "/inference", body, token(owner));
    expect(await ask({ model, prompt: "x", options: { max_tokens: 8193 } })).toMatchObject({ status: 422 });
    expect(await ask({ model, prompt: "x".repeat(256 * 1024) })).toMatchObject({ status: 413 });
    expect(await ask({ model, prompt: Array.from({ length: 101 }, () => "x") })).toMatchObject({ status: 422 });
    // A consumer that is kept to planned models reaches no other here either.
    expect(await ask({ model, prompt: "x" }, "inference-lab")).toMatchObject({
      status: 403,
      body: { code: "model_not_allowed" },
    });
    expect((await ask({ model: "assistant", prompt: "x" }, "inference-lab")).status).toBe(202);
    // Tokens per minute are counted at the gateway alone.
    expect(() => token("inference-counted")).toThrow("no Secret model-control/token-inference-counted");

    const { body } = await api.ask("GET", `/models/${model}/status`, undefined, token("viewer"));
    const [placement] = body.placements as readonly { readonly last_used?: string; readonly unloads_at?: string }[];
    const { last_used: used = "", unloads_at: leaves = "" } = placement ?? {};
    expect(new Date(leaves).getTime() - new Date(used).getTime()).toBe(900_000);
  });

  it("has its key replaced while answers are kept: the old ones are read until their key goes", async () => {
    const started = await control();
    const { api } = started;
    const token = started.token("inference");
    const model = registry.publish("keys:latest", tinyLlama({ seed: 7002 }));
    const options = { max_tokens: 3 };
    const old = await infer(api, { model, prompt: "one", options }, token);
    const { items } = await ended(api, old, token);
    expect(items).toMatchObject([{ text: expect.stringMatching(/./) }]);

    const first = started.keys();
    const second = { id: "second", key: `${lettersAndDigits(43)}=` };
    const replace = (keys: ReturnType<typeof started.keys>) =>
      started.replaceKeys({ keys }, () => look(api, old, token));
    await replace([...first, second]);
    await replace([second, ...first]);
    const young = await infer(api, { model, prompt: "two", options }, token);
    expect(await ended(api, young, token)).toMatchObject({ state: "completed" });
    expect((await ended(api, old, token)).items).toEqual(items);

    await replace([second]);
    expect((await ended(api, old, token)).items).toMatchObject([{ state: "completed" }]);
    expect((await ended(api, old, token)).items[0]).not.toHaveProperty("text");
    expect((await ended(api, young, token)).items).toMatchObject([{ text: expect.stringMatching(/./) }]);
  });

  it("has a planned model with an idle time leave memory and stay on disk, and brings it back for who asks", async () => {
    const started = await control({ of: leaving });
    const { api } = started;
    const [token, operator] = [started.token("inference"), started.token("operator")];
    const ask = async () => {
      const id = await infer(api, { model: "assistant", prompt: "x", options: { max_tokens: 3 } }, token);
      return ended(api, id, token);
    };
    const status = async () => (await api.ask("GET", "/models/assistant/status", undefined, operator)).body;

    // As the loader beside Ollama does: the model has the name that clients use.
    const source = registry.publish("planned:latest", tinyLlama({ seed: 7003 }));
    await ended(api, await infer(api, { model: source, prompt: "x", options: { max_tokens: 1 } }, token), token);
    const copy = JSON.stringify({ source, destination: "assistant" });
    expect((await fetch(`${ollama.url}/api/copy`, { method: "POST", body: copy })).status).toBe(200);
    expect((await api.ask("DELETE", `/models/${source}`, undefined, operator)).status).toBe(200);

    expect(await ask()).toMatchObject({ state: "completed" });
    expect(await status()).toMatchObject({ state: "loaded", pinned: false });
    await waitFor("assistant to leave", async () => ((await status()).state === "on_disk" ? true : undefined), 60);
    expect(await api.ask("DELETE", "/models/assistant?purge=true", undefined, operator)).toMatchObject({
      status: 409,
      body: { code: "model_pinned" },
    });
    expect(await ask()).toMatchObject({ state: "completed" });
    expect(await status()).toMatchObject({ state: "loaded" });
  });

  it("takes as many of the largest tasks as the environment says, and refuses none of them for want of memory", async () => {
    // Nothing answers there: all of them wait.
    const started = await control({ engineUrl: "http://127.0.0.1:9" });
    const { api, redis } = started;
    const prompts = Array.from({ length: 100 }, () => "x".repeat(2_600));
    const body = { model: "assistant", prompt: prompts, options: { max_tokens: 1 } };
    const size = Buffer.byteLength(JSON.stringify(body));
    expect(size).toBeGreaterThan(0.98 * 256 * 1024);
    expect(size).toBeLessThanOrEqual(256 * 1024);
    const [last = "", ...owners] = ["inference", ...CONSUMERS.map((name) => `inference-${name}`)];
    const statuses = new Map<number, number>();
    for (const owner of owners) {
      for (let asked = 0; asked < 100; asked++) {
        const { status } = await api.ask("POST", "/inference", body, started.token(owner));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }
    expect(Object.fromEntries(statuses)).toEqual({ 202: 400 });
    expect(await api.ask("POST", "/inference", body, started.token(owners[0] ?? ""))).toMatchObject({
      status: 429,
      body: { code: "too_many_queued" },
    });
    expect(await api.ask("POST", "/inference", body, started.token(last))).toMatchObject({
      status: 503,
      body: { code: "queue_full", detail: expect.stringContaining("400") },
    });
    const client = new Client(redis.url, { password: started.password() });
    const memory = await client.info("memory");
    client.disconnect();
    const number = (field: string) => Number(new RegExp(`^${field}:(\\d+)`, "m").exec(memory)?.[1]);
    expect(number("maxmemory")).toBe(256 * 2 ** 20);
    expect(number("used_memory")).toBeGreaterThan(400 * 0.98 * 256 * 1024);
    expect(number("used_memory")).toBeLessThan(number("maxmemory") * PROMPT_MEMORY_SHARE);
  });
});
