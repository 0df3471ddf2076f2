/**
 * vLLM's sleep from a model's configuration to the engine: the real API with its rendered configuration and a real Redis, and what
 * stands in for vLLM started by the rendered command.
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Deployment } from "../../harness/deploy";
import { changedRun } from "../../stacks/run";
import { dropLeases, type Redis, startRedis } from "./registry";
import { renderedVllm, type VllmCommand, VllmStandIn } from "./rendered-vllm";
import { Api, ApiBundle } from "./start-api";

const qwen = { model: "qwen3-8b", contextTokens: 8192, concurrency: 2 };
const WORKERS = ["napper", "worker"] as const;

const rendering = z.object({
  workers: z.array(
    z
      .object({ name: z.enum(WORKERS), backend: z.literal("vllm"), url: z.string(), models: z.array(z.string()) })
      .loose(),
  ),
  idle: z.object({ models: z.object({ napper: z.number() }) }),
});

describe("vLLM asleep, driven by the model control API", () => {
  const running: { stop(): Promise<unknown> }[] = [];
  let deployment: Deployment;
  let redis: Redis;
  let bundle: ApiBundle;

  beforeAll(async () => {
    bundle = ApiBundle.build();
    ({ deployment } = await changedRun("edge-nvidia", {
      models: {
        napper: { ...qwen, servedName: "napper", vllm: { sleepMode: true } },
        worker: { ...qwen, servedName: "worker" },
      },
      modelControl: {
        enabled: true,
        image: "ghcr.io/acme/inference-model-control:1.0.0",
        idle: { models: { napper: 2 } },
      },
    }));
    redis = await startRedis();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.stop()));
    await dropLeases(redis);
  });
  afterAll(async () => {
    await redis?.stop();
    bundle?.remove();
  });

  /**
   * The API before both models' engines; their addresses are replaced, and nothing here scales them.
   *
   * @param isIdle whether what sleeps does so by its time, too.
   */
  async function control(commands: Partial<Record<(typeof WORKERS)[number], VllmCommand>> = {}, isIdle = false) {
    const engine = async (name: (typeof WORKERS)[number]) => {
      const started = await VllmStandIn.start(commands[name] ?? renderedVllm(deployment, name));
      running.push(started);
      return started;
    };
    const engines = { napper: await engine("napper"), worker: await engine("worker") };
    const rendered = deployment
      .ofType("kubernetes:core/v1:ConfigMap")
      .map(({ inputs }) => (inputs.data as Record<string, string> | undefined)?.["config.json"])
      .find((text) => text !== undefined);
    const { workers, idle } = rendering.parse(JSON.parse(rendered ?? "{}"));
    expect(workers.map(({ url }) => new URL(url).port)).toEqual(["8000", "8000"]);
    const api = await Api.start(bundle, {
      redis: { url: redis.url },
      workers: workers.map(({ scale: _, ...worker }) => ({ ...worker, url: engines[worker.name].url })),
      ...(isIdle && { idle }),
    });
    running.push(api.process);
    await api.process.waitForOutput(/the task queue is connected/, 20);
    return { api, ...engines };
  }

  it("sleeps when it is unloaded, and wakes when it is loaded; what is asked meanwhile waits", async () => {
    const { api, napper, worker } = await control();
    expect((await api.ask("GET", "/models/napper/status")).body).toMatchObject({ state: "loaded" });
    expect(await napper.isSleeping()).toBe(false);

    const { status, body } = await api.ask("DELETE", "/models/napper");
    expect([status, body]).toMatchObject([200, { model: "napper", state: "on_disk" }]);
    expect(await napper.isSleeping()).toBe(true);
    expect(await napper.orders()).toEqual(["POST /sleep?level=1&mode=wait"]);

    let answered: number | undefined;
    const chat = napper.chat().then((code) => {
      answered = code;
    });
    await pause(500);
    expect(answered).toBeUndefined();

    const { task_id: load } = (await api.ask("POST", "/models/load", { model: "napper" })).body;
    expect(await api.ended(load)).toMatchObject({ state: "completed", worker: "napper" });
    expect(await napper.isSleeping()).toBe(false);
    await chat;
    expect(answered).toBe(200);
    expect((await api.ask("GET", "/models/napper/status")).body).toMatchObject({ state: "loaded" });
    expect(await worker.orders()).toEqual([]);
  });

  it("sleeps by itself after its time, and wakes for whoever asks it, past the API or through it", async () => {
    const { api, napper, worker } = await control({}, true);
    const falls = () => expect.poll(() => napper.isSleeping(), { timeout: 10_000, interval: 100 }).toBe(true);
    const { unloads_at = "" } = (await api.ask("GET", "/models/napper/status")).body.placements[0] ?? {};
    await falls();
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(unloads_at));
    expect((await api.ask("GET", "/models/napper/status")).body).toMatchObject({ state: "on_disk" });

    const asked = performance.now();
    expect(await napper.chat()).toBe(200);
    console.log(`a request to one that slept was answered after ${Math.round(performance.now() - asked)} ms`);
    expect(performance.now() - asked).toBeLessThan(5000);
    expect((await api.ask("GET", "/models/napper/status")).body).toMatchObject({ state: "loaded" });
    await falls();

    const load = (await api.ask("POST", "/models/load", { model: "napper" })).body.task_id;
    expect(await api.ended(load)).toMatchObject({ state: "completed" });
    expect(await napper.isSleeping()).toBe(false);
    await falls();
    const slept = "POST /sleep?level=1&mode=wait";
    const orders = (await napper.orders()).filter((order) => !order.startsWith("POST /v1"));
    expect(orders).toEqual([slept, "POST /wake_up", slept, "POST /wake_up", slept]);
    expect(await worker.orders()).toEqual([]);
  });

  it("is refused where the configuration does not ask for it, and the model goes on", async () => {
    const { api, worker } = await control();
    const { status, body } = await api.ask("DELETE", "/models/worker");
    expect([status, body]).toMatchObject([
      409,
      {
        code: "not_supported",
        detail: expect.stringContaining("it needs --enable-sleep-mode and VLLM_SERVER_DEV_MODE=1"),
      },
    ]);
    expect(await worker.orders()).toEqual([]);
    expect(await worker.chat()).toBe(200);
    expect((await api.ask("GET", "/models/worker/status")).body).toMatchObject({ state: "loaded" });
  });

  it.each(["the flag", "the variable"])("needs %s, which is rendered", async (missing) => {
    const { args, env, ...command } = renderedVllm(deployment, "napper");
    const { VLLM_SERVER_DEV_MODE: _, ...others } = env;
    const without =
      missing === "the flag"
        ? { args: args.filter((each) => each !== "--enable-sleep-mode"), env }
        : { args, env: others };
    expect(without).not.toEqual({ args, env });
    const { api, napper } = await control({ napper: { ...command, ...without } });
    const { status, body } = await api.ask("DELETE", "/models/napper");
    expect([status, body]).toMatchObject([409, { code: "not_supported" }]);
    expect(await napper.isSleeping()).toBeUndefined();
  });
});
