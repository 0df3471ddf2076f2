/** A Redis that is full, and takes no writes: what is refused, what becomes of answers that are being written, and after it. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { ControlStand } from "./control-stand";
import { ended, infer, look } from "./inference-calls";
import { dripping, SickEngine } from "./sick-engine";
import { type Api, INFER, OPERATE } from "./start-api";

const SECONDS = 6;

let stand: ControlStand;
let engine: SickEngine;
let api: Api;
/** Prompts that the engine was asked to answer. */
const asked: string[] = [];

beforeAll(async () => {
  [stand, engine] = await Promise.all([
    ControlStand.start({ maxMemory: "64mb" }),
    SickEngine.start("fake:1", { isLoaded: true }),
  ]);
  const slowly = dripping(`${JSON.stringify({ response: "on ", done: false })}\n`, 200);
  engine.answers.set("/api/generate", (response, body) => {
    const { prompt } = JSON.parse(body) as { readonly prompt: string };
    asked.push(prompt);
    if (prompt === "slowly") {
      return slowly(response, body);
    }
    response.end(`${JSON.stringify({ response: "hello", done: true, done_reason: "stop" })}\n`);
  });
  api = await stand.replica({
    others: [{ name: "w0", backend: "ollama", url: engine.url, memoryBytes: 8e9 }],
    inference: { concurrency: 2, wait: { polls: 60, seconds: 0.5 } },
    limits: { requestsPerMinute: 10_000 },
  });
});
afterAll(async () => {
  engine?.stop();
  await stand?.stop();
});

const usedMemory = () =>
  stand.withRedis(async (client) => Number(/^used_memory:(\d+)/m.exec(await client.info("memory"))?.[1]));
const setLimit = (limit: string) => stand.withRedis((client) => client.config("SET", "maxmemory", limit));
const ask = (prompt: string) => api.ask("POST", "/inference", { model: "fake:1", prompt }, INFER);

it("refuses prompts with the reason before it is full, so that all else has room", async () => {
  const prompts = "x".repeat(900_000);
  // One for each caller: neither gets both.
  const slots = new Map<string, string>();
  for (const token of [OPERATE, INFER]) {
    slots.set(token, await infer(api, { model: "fake:1", prompt: "slowly" }, token));
  }
  await waitFor("both slots to be taken", async () => (asked.length >= 2 ? true : undefined));
  const kept: string[] = [];
  const refusals = new Set<string>();
  // As many at once as may be under way before anybody has looked at the memory again.
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(prompts)));
    for (const { status, body } of answers) {
      if (status === 202) {
        kept.push(body.task_id);
      } else {
        refusals.add(`${status} ${body.code} ${body.detail}`);
      }
    }
  }
  expect([...refusals]).toEqual([
    expect.stringMatching(/^503 queue_full the memory of the queue's server is nearly full/),
  ]);
  expect(kept.length).toBeGreaterThan(20);
  expect(await usedMemory()).toBeLessThan(0.95 * 64 * 1024 * 1024);
  expect(await api.ask("GET", "/health", undefined, undefined)).toMatchObject({ status: 200 });
  for (const id of kept) {
    expect((await api.ask("DELETE", `/inference/${id}`, undefined, INFER)).status).toBe(204);
  }
  expect(await waitFor("room", async () => ((await ask("x")).status === 202 ? true : undefined))).toBe(true);
  for (const [token, id] of slots) {
    await api.ask("DELETE", `/tasks/${id}`, undefined, token);
    await ended(api, id, token);
  }
});

it("that takes no writes is told of; what runs ends, and all goes on by itself", async () => {
  asked.length = 0;
  const options = { seconds: SECONDS, max_tokens: 1000 };
  const running = await infer(api, { model: "fake:1", prompt: "slowly", options }, INFER);
  const other = await infer(api, { model: "fake:1", prompt: "slowly", options }, OPERATE);
  const waiting = await infer(api, { model: "fake:1", prompt: "hello" }, INFER);
  const written = [
    [running, INFER],
    [other, OPERATE],
  ] as const;
  await waitFor("both answers to begin", async () =>
    (await Promise.all(written.map(([id, token]) => look(api, id, token)))).every(({ items }) => items[0]?.text)
      ? true
      : undefined,
  );
  await setLimit(String(Math.floor((await usedMemory()) / 2)));
  const began = Date.now();
  const refused = await ask("hello");
  // The first when its memory was looked at a moment ago, and seemed to do.
  expect([refused.status, refused.body.detail]).toEqual([
    503,
    expect.stringMatching(/OOM command not allowed|memory of the queue's server is nearly full/),
  ]);
  expect(Date.now() - began).toBeLessThan(2_000);
  // Reading, and deleting, go on.
  expect(await look(api, running, INFER)).toMatchObject({ state: "running" });
  await sleep((SECONDS + 2) * 1000);
  await setLimit("64mb");
  for (const [id, token] of written) {
    const { state, items } = await ended(api, id, token, 40);
    expect([state, items.length, items[0]?.finish_reason, items[0]?.attempts]).toEqual([
      "completed",
      1,
      "time_limit",
      1,
    ]);
    expect(items[0]?.text?.length).toBeGreaterThan(40);
  }
  expect(await ended(api, waiting, INFER, 40)).toMatchObject({ state: "completed", items: [{ text: "hello" }] });
  expect(asked.filter((prompt) => prompt !== "x").sort()).toEqual(["hello", "slowly", "slowly"]);
  expect(await ended(api, await infer(api, { model: "fake:1", prompt: "hello" }, INFER), INFER)).toMatchObject({
    state: "completed",
  });
});
