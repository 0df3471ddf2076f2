/** How soon tasks of the model control API go on: real Redis, real Ollama, the API's own bundle in processes that are killed. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Ollama,
  publishSlowly,
  type Redis,
  type Registry,
  startOllama,
  startRedis,
  startRegistry,
} from "./registry";
import { Api, ApiBundle } from "./start-api";

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
  return publishSlowly(registry, name, { seconds, seed: seed++ });
}

describe("tasks", () => {
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
