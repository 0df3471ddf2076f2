/** The task queue of the model control API: real Redis, real Ollama, the API's own bundle in processes that are killed. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Ollama, type Redis, type Registry, startOllama, startRedis, startRegistry, tinyLlama } from "./registry";
import { Api, ApiBundle } from "./start-api";

const MEGABYTE = 1_000_000;

let bundle: ApiBundle;
let redis: Redis;
let ollama: Ollama;
let registry: Registry;
const replicas: Api[] = [];
let seed = 100;

beforeAll(async () => {
  bundle = ApiBundle.build();
  [redis, ollama, registry] = await Promise.all([startRedis(), startOllama(), startRegistry()]);
});
afterAll(async () => {
  await Promise.all(replicas.map((api) => api.process.stop()));
  await Promise.all([redis?.stop(), ollama?.stop(), registry?.stop()]);
  bundle?.remove();
});
beforeEach(async () => {
  await Promise.all(replicas.splice(0).map((api) => api.process.stop()));
  registry.misbehaviour.bytesPerSecond = undefined;
  registry.misbehaviour.breaks = 0;
  registry.misbehaviour.manifestStatus = undefined;
});

async function replica(pulls: object = {}): Promise<Api> {
  const api = await Api.start(bundle, {
    redis: { url: redis.url },
    registries: { insecure: [registry.host] },
    workers: [{ name: "w1", backend: "ollama", url: ollama.url, memoryBytes: 4e9, diskBytes: 4e9 }],
    pulls: { backoffSeconds: 0.5, ...pulls },
  });
  replicas.push(api);
  return api;
}

/** A model that nobody has pulled yet; it takes `seconds` to fetch. */
function slowModel(name: string, seconds: number): string {
  registry.misbehaviour.bytesPerSecond = (3 * MEGABYTE) / seconds;
  return registry.publish(`${name}:latest`, tinyLlama({ seed: seed++, bytes: 3 * MEGABYTE }));
}

function manifestRequests(model: string): number {
  const path = `/v2/${model.slice(registry.host.length + 1).replace(":", "/manifests/")}`;
  return registry.requests.filter((request) => request.includes(path)).length;
}

describe("tasks", () => {
  it("are one for fifty pulls of a model at once, over two replicas, and show how far they are", async () => {
    const [first, second] = [await replica(), await replica()];
    const model = slowModel("fifty", 4);
    const ids = await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 ? first : second).pull(model)));
    expect(new Set(ids).size).toBe(1);
    const [id = ""] = ids;
    const seen: number[] = [];
    await first.taskThat(id, "completed", ({ state, progress }) => {
      seen.push(progress);
      return state === "completed";
    });
    expect(seen.some((progress) => progress > 0 && progress < 100)).toBe(true);
    expect([...seen].sort((a, b) => a - b)).toEqual(seen);
    expect(await second.task(id)).toMatchObject({ progress: 100, worker: "w1" });
    expect(manifestRequests(model)).toBe(1);
    expect(await first.pull(model)).not.toBe(id);
  });

  it("go on within 15 s after the API was killed", async () => {
    const api = await replica();
    const id = await api.pull(slowModel("killed", 30));
    await api.taskThat(id, "under way", ({ state, progress }) => state === "running" && progress > 5);
    await api.process.kill();
    const killedAt = Date.now();
    await api.process.start();
    await api.process.waitForOutput(/a task goes on that another process left/, 20);
    expect(Date.now() - killedAt).toBeLessThan(15_000);
    registry.misbehaviour.bytesPerSecond = undefined;
    expect(await api.ended(id)).toMatchObject({ state: "completed", progress: 100 });
  });

  it("are handed over at once when a replica ends in good order", async () => {
    const first = await replica();
    const id = await first.pull(slowModel("handed", 20));
    await first.taskThat(id, "under way", ({ progress }) => progress > 5);
    const other = await replica();
    const asked = Date.now();
    await first.process.terminate();
    expect(first.process.output()).toContain("task goes back to the queue");
    await other.process.waitForOutput(new RegExp(`${id}.*task started`), 3);
    expect(Date.now() - asked).toBeLessThan(5_000);
    registry.misbehaviour.bytesPerSecond = undefined;
    expect(await other.ended(id)).toMatchObject({ state: "completed" });
  });

  it("are cancelled on whatever replica they run, and can be asked for again", async () => {
    const [first, second] = [await replica({ concurrency: 1 }), await replica({ concurrency: 1 })];
    const running = slowModel("cancelled", 30);
    const waiting = slowModel("waiting", 30);
    const id = await first.pull(running);
    await first.taskThat(id, "under way", ({ progress }) => progress > 3);
    const queued = await first.pull(waiting);
    for (const task of [queued, id]) {
      // Each by both: the one that does not work on it must do as well.
      const { status, body } = await second.ask("DELETE", `/tasks/${task}`);
      expect([status, body.state, body.error]).toEqual([202, "failed", "cancelled"]);
      expect((await first.ask("DELETE", `/tasks/${task}`)).status).toBe(202);
    }
    await Promise.any([first, second].map((api) => api.process.waitForOutput(new RegExp(`${id}.*task cancelled`), 5)));
    expect(await first.task(id)).toMatchObject({ state: "failed", error: "cancelled" });
    expect(await first.task(queued)).toMatchObject({ state: "failed", error: "cancelled" });
    expect((await first.ask("GET", `/models/${running}/status`)).body).toMatchObject({ state: "absent" });
    registry.misbehaviour.bytesPerSecond = undefined;
    const again = await second.pull(running);
    expect(again).not.toBe(id);
    expect(await second.ended(again)).toMatchObject({ state: "completed" });
    expect((await second.ask("DELETE", `/tasks/${again}`)).body).toMatchObject({ status: 409, code: "task_finished" });
  });

  it("are tried again when that may help, and only then", async () => {
    const api = await replica({ attempts: 5, backoffSeconds: 0.5 });
    await ollama.process.kill();
    const id = await api.pull(registry.publish("retried:latest", tinyLlama({ seed: seed++ })));
    const waiting = await api.taskThat(id, "tried once", ({ attempts }) => attempts.made > 0);
    expect(waiting.error).toMatch(/did not answer/);
    await ollama.process.start();
    const retried = await api.ended(id);
    expect(retried).toMatchObject({ state: "completed" });
    expect(retried).not.toHaveProperty("error");

    await ollama.process.kill();
    const hopeless = await api.pull(registry.publish("hopeless:latest", tinyLlama({ seed: seed++ })));
    expect(await api.ended(hopeless)).toMatchObject({ state: "failed", attempts: { made: 5 } });
    await ollama.process.start();

    const unknown = await api.ended(await api.pull(`${registry.host}/library/unknown:latest`));
    expect(unknown).toMatchObject({ state: "failed", attempts: { made: 1 } });
    expect(unknown.error).toMatch(/unknown|manifest|exist/);
  });

  it("run as many at once as the configuration says, over all replicas", async () => {
    const [first, second] = [await replica({ concurrency: 2 }), await replica({ concurrency: 2 })];
    const models = ["one", "two", "three", "four"].map((name) => slowModel(name, 3));
    const ids = await Promise.all(models.map((model, i) => (i % 2 ? first : second).pull(model)));
    let most = 0;
    const states = async () => Promise.all(ids.map((id) => first.task(id)));
    for (;;) {
      const now = await states();
      most = Math.max(most, now.filter(({ state }) => state === "running").length);
      if (now.every(({ state }) => state === "completed")) {
        break;
      }
      expect(now.map(({ state }) => state)).not.toContain("failed");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(most).toBe(2);
  });

  it("survive Redis: it may come late, go away and come back", async () => {
    await redis.process.kill();
    const api = await replica();
    const before = Date.now();
    expect(await api.ask("POST", "/models/pull", { model: "llama3.2" })).toMatchObject({
      status: 503,
      body: { code: "queue_unavailable", detail: expect.stringContaining("ECONNREFUSED") },
    });
    expect(Date.now() - before).toBeLessThan(2_000);
    expect(await api.ask("GET", "/health")).toMatchObject({ status: 503, body: { checks: { queue: { ok: false } } } });
    await redis.process.start();
    await api.process.waitForOutput(/the task queue is connected/, 10);

    const id = await api.pull(slowModel("survivor", 8));
    await api.taskThat(id, "under way", ({ progress }) => progress > 3);
    await redis.process.kill();
    expect(await api.ask("GET", `/tasks/${id}/status`)).toMatchObject({ status: 503 });
    await redis.process.start();
    expect(await api.ended(id)).toMatchObject({ state: "completed" });
    expect(await api.ask("GET", "/livez")).toMatchObject({ status: 200 });
  });
});
