/**
 * Engines that are broken into, or sick, against the API's own bundle with less memory than its pod has, and a real Redis
 * with the pod's limit. The engines are stand-ins: a real one does not do such things on request.
 */
import type { ServerResponse } from "node:http";
import { Redis as Client } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { type Redis, startRedis } from "./registry";
import { drained, endless, never, SickEngine, status } from "./sick-engine";
import { Api, ApiBundle } from "./start-api";

/** The pod has 512 MiB in all. */
const HEAP = { NODE_OPTIONS: "--max-old-space-size=400" };
const MEGABYTE = 1_000_000;

let bundle: ApiBundle;
let redis: Redis;
let client: Client;
let sick: SickEngine;
let well: SickEngine;
let api: Api;

beforeAll(async () => {
  bundle = ApiBundle.build();
  [redis, sick, well] = await Promise.all([
    startRedis({ maxMemory: "192mb" }),
    SickEngine.start("sick:1"),
    SickEngine.start("ok:1"),
  ]);
  client = new Client(redis.url);
});
afterAll(async () => {
  client?.disconnect();
  for (const engine of [sick, well]) {
    engine?.stop();
  }
  await redis?.stop();
  bundle?.remove();
});
beforeEach(async () => {
  await client.flushall();
  api = await Api.start(
    bundle,
    {
      redis: { url: redis.url },
      workers: [
        { name: "w0", backend: "ollama", url: sick.url, memoryBytes: 8e9 },
        { name: "w1", backend: "ollama", url: well.url, memoryBytes: 8e9 },
      ],
      pulls: { attempts: 2, backoffSeconds: 0.2, concurrency: 1 },
    },
    HEAP,
  );
  await api.process.waitForOutput(/the task queue is connected/, 20);
});
afterEach(async () => {
  sick.answers.clear();
  well.answers.clear();
  await client.config("SET", "maxmemory", "192mb");
  await api.process.stop();
});

const pullOn = (model: string) => api.pull(model, { worker: "w0", load: false });
const usedMemory = async () => Number(/^used_memory:(\d+)/m.exec(await client.info("memory"))?.[1]);

describe("texts of engines", () => {
  it.each([
    [
      "a pull's last line",
      (response: ServerResponse) => void response.end(`{"error":"${"e".repeat(15 * MEGABYTE)}"}\n`),
    ],
    [
      "a line of a pull below the limit of a line",
      (response: ServerResponse) => void response.end(`{"error":"${"e".repeat(60_000)}"}\n`),
    ],
    ["a refusal", status(500, JSON.stringify({ error: "e".repeat(15 * MEGABYTE) }))],
  ])("do not fill the queue: %s", async (_, answer) => {
    sick.answers.set("/api/pull", answer);
    const before = await usedMemory();
    for (let i = 0; i < 5; i++) {
      const task = await api.ended(await pullOn(`big${i}:1`));
      expect(task.state).toBe("failed");
      expect(task.error?.length).toBeLessThan(1_000);
    }
    expect((await usedMemory()) - before).toBeLessThan(5 * MEGABYTE);
    expect(JSON.stringify((await api.ask("GET", "/tasks")).body).length).toBeLessThan(20_000);
    expect(JSON.stringify(await client.hvals(`model-control:pulls:${(await tasks())[0]}`)).length).toBeLessThan(5_000);
  });

  async function tasks(): Promise<readonly string[]> {
    const { body } = await api.ask<{ readonly tasks: readonly { readonly task_id: string }[] }>("GET", "/tasks");
    return body.tasks.map(({ task_id }) => task_id);
  }
});

it("a queue that takes no writes is unhealthy, and told of by its memory", async () => {
  await api.ended(await api.pull("ok:1", { worker: "w1", load: false }));
  await client.config("SET", "maxmemory", String(Math.floor((await usedMemory()) / 2)));
  const full = await waitFor("health to be bad", async () => {
    const answer = await api.ask("GET", "/health", undefined, undefined);
    return answer.status === 503 ? answer : undefined;
  });
  expect(full.body.checks.queue).toEqual({ ok: false, detail: "the task queue is full" });
  const metrics = await (await fetch(api.metricsUrl)).text();
  expect(metrics).toMatch(/^model_control_queue_up 0$/m);
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(metrics)?.[1]);
  const limit = figure("model_control_queue_memory_limit_bytes");
  expect(limit).toBeGreaterThan(0);
  expect(figure("model_control_queue_memory_used_bytes")).toBeGreaterThan(limit);
  await client.config("SET", "maxmemory", "192mb");
  await waitFor("health to be good", async () =>
    (await api.ask("GET", "/health", undefined, undefined)).status === 200 ? true : undefined,
  );
});

describe("answers without end", () => {
  it.each([
    ["one line", "a".repeat(65_536)],
    ["blank lines", "\n".repeat(65_536)],
    ["a part that grows", ""],
  ])("of a pull do not end the API: %s", async (name, text) => {
    if (text === "") {
      let total = 1;
      sick.answers.set("/api/pull", async (response) => {
        while (!response.destroyed) {
          const line = JSON.stringify({ status: "pulling", digest: "sha256:a", total: total++, completed: 0 });
          if (!response.write(`${line}\n`)) {
            await drained(response);
          }
        }
      });
    } else {
      sick.answers.set("/api/pull", endless(text));
    }
    const id = await pullOn("endless:1");
    if (name !== "a part that grows") {
      expect((await api.ended(id)).error).toContain(
        name === "one line" ? "a line is longer than 65536 bytes" : "something else than progress",
      );
    } else {
      // It ends when it stalls, or is cancelled; until then the API answers.
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      expect((await api.ask("DELETE", `/tasks/${id}`)).status).toBe(202);
    }
    expect((await fetch(`${api.url}/livez`)).status).toBe(200);
    expect(api.process.output()).not.toContain("heap limit");
    expect(await residentBytes()).toBeLessThan(400 * MEGABYTE);
  });

  async function residentBytes(): Promise<number> {
    const metrics = await (await fetch(api.metricsUrl)).text();
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
  }
});

describe("a task whose process ends", () => {
  it("lets those go first that were never tried, and has failed when that happened three times", async () => {
    let tries = 0;
    sick.answers.set("/api/pull", () => {
      tries += 1;
    });
    const tried = (times: number) => waitFor(`try ${times}`, async () => (tries === times ? true : undefined), 40);
    const poison = await pullOn("poison:1");
    await tried(1);
    const innocent = await api.pull("innocent:1", { worker: "w1", load: false });
    for (let loss = 1; loss <= 3; loss++) {
      await api.process.kill();
      await api.process.start();
      // It waited behind the other one, which is tried last now.
      if (loss === 1) {
        expect(await api.ended(innocent, 30)).toMatchObject({ state: "completed" });
      }
      if (loss < 3) {
        await tried(loss + 1);
      }
    }
    const ended = await api.ended(poison, 40);
    expect(ended.state).toBe("failed");
    expect(ended.error).toContain("the process that worked on it ended, 3 times");
  });
});

describe("beside a sick engine", () => {
  const manyModels = JSON.stringify({
    models: Array.from({ length: 100_000 }, (_, i) => ({ name: `m${i}:1`, size: 1 })),
  });
  it.each([
    ["500", status(500)],
    ["404 with HTML", status(404, "<html></html>")],
    ["a redirect", status(302)],
    ["null", status(200, "null")],
    ["wrong types", status(200, JSON.stringify({ models: 7, version: {} }))],
    ["100,000 models", status(200, manyModels)],
    ["nothing", never],
    ["without end", endless("x".repeat(65_536))],
  ])("that answers %s the other worker is seen, healthy and counted", async (_, answer) => {
    sick.answers.set("*", answer);
    const [workers, models, health] = await Promise.all([
      api.ask("GET", "/workers"),
      api.ask("GET", "/models/ok:1/status"),
      api.ask("GET", "/health", undefined, undefined),
    ]);
    expect(workers).toMatchObject({
      status: 200,
      body: {
        workers: [
          { name: "w0", state: "unreachable" },
          { name: "w1", state: "running" },
        ],
      },
    });
    expect(models).toMatchObject({ status: 200, body: { state: "on_disk" } });
    expect(health).toMatchObject({ status: 200, body: { healthy: true } });
    const metrics = await (await fetch(api.metricsUrl)).text();
    expect(metrics).toContain('model_control_worker_state{worker="w0",backend="ollama",state="unreachable"} 1');
    expect(metrics).toContain('model_control_worker_state{worker="w1",backend="ollama",state="running"} 1');
  });
});

describe("a queue that changes behind the API's back", () => {
  it("an entry that cannot be read counts as absent, and is told of", async () => {
    await client.set("model-control:{w0}:record", "{not json");
    await client.hset("model-control:{w1}:models", "ok:1", '{"lastUsed":"never"}');
    expect((await api.ask("GET", "/workers")).body.workers.map(({ state }) => state)).toEqual(["running", "running"]);
    await api.process.waitForOutput(/model-control:\{w0\}:record.*is unreadable/, 5);
  });

  it("a limit that was emptied away is there again with the next task", async () => {
    await client.flushall();
    await api.ended(await api.pull("ok:1", { worker: "w1", load: false }));
    expect(await client.hget("model-control:pulls:meta", "concurrency")).toBe("1");
  });
});
