/**
 * One caller that floods asynchronous inference, on a real Redis and a real Ollama; what others wait meanwhile is measured.
 * The engine that is never done is a stand-in.
 */
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { ControlStand } from "../../e2e/model-control/control-stand";
import { ended, infer } from "../../e2e/model-control/inference-calls";
import { publishSlowly, tinyLlama } from "../../e2e/model-control/registry";
import { dripping, SickEngine } from "../../e2e/model-control/sick-engine";
import { type Api, INFER } from "../../e2e/model-control/start-api";

const MEGABYTE = 1_000_000;
/** The pod has 512 MiB in all. */
const HEAP = { NODE_OPTIONS: "--max-old-space-size=400" };
const MANY = 10_000;
const AT_ONCE = 50;
/** For one answer of the engine that is never done. */
const SECONDS = 2;
/** In turn behind the flood it would be hours: 10,000 answers of `SECONDS` each. A busy machine takes some of these. */
const NEVER_OVER = 30;

let stand: ControlStand;
let sick: SickEngine;
let api: Api;
let model = "";

beforeAll(async () => {
  [stand, sick] = await Promise.all([ControlStand.start(), SickEngine.start("sick:1", { isLoaded: true })]);
  const token = `${JSON.stringify({ response: "a", done: false })}\n`;
  sick.answers.set("/api/generate", dripping(token, 200));
});
afterEach(async () => {
  stand.registry.misbehaviour.bytesPerSecond = undefined;
  await stand.stopReplicas();
  await stand.withRedis((client) => client.flushall());
});
afterAll(async () => {
  sick?.stop();
  await stand?.stop();
});

async function start(): Promise<void> {
  api = await stand.replica(
    {
      others: [{ name: "w0", backend: "ollama", url: sick.url, memoryBytes: 8e9 }],
      inference: { queuedPerCaller: MANY, queued: MANY + 100, wait: { polls: 10_000, seconds: 1 } },
      limits: { requestsPerMinute: 1_000_000 },
    },
    HEAP,
  );
  model = stand.registry.publish("well:latest", tinyLlama({ seed: stand.nextSeed() }));
  await api.ended(await api.pull(model));
}

/** Does it for every number below `count`, some at a time. */
async function times(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const line = async () => {
    while (next < count) {
      await work(next++);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, line));
}

async function flood(count: number, body: object): Promise<readonly string[]> {
  const ids: string[] = [];
  await times(count, async () => {
    ids.push(await infer(api, body, INFER));
  });
  return ids;
}

/** The seconds that another caller's answers took, from the request to the whole of it. */
async function othersWait(count: number): Promise<readonly number[]> {
  const waits: number[] = [];
  for (let i = 0; i < count; i++) {
    const began = Date.now();
    const id = await infer(api, { model, prompt: "hello", options: { max_tokens: 3 } });
    expect(await ended(api, id)).toMatchObject({ state: "completed" });
    waits.push((Date.now() - began) / 1000);
  }
  return waits;
}

function median(seconds: readonly number[]): number {
  return [...seconds].sort((a, b) => a - b)[Math.floor(seconds.length / 2)] ?? Number.NaN;
}

async function residentBytes(): Promise<number> {
  const metrics = await (await fetch(api.metricsUrl)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
}

async function waiting(): Promise<number> {
  const metrics = await (await fetch(api.metricsUrl)).text();
  return Number(/^model_control_inference_tasks\{state="waiting"\} (\S+)/m.exec(metrics)?.[1]);
}

it("answers others while ten thousand tasks of one caller wait for an engine, and while it cancels them all", async () => {
  await start();
  const prompt = { model: "sick:1", prompt: "x", options: { seconds: SECONDS, max_tokens: 1000 } };
  const alone = median(await othersWait(5));
  const ids = await flood(MANY, prompt);
  const ask = () => api.ask("POST", "/inference", prompt, INFER);
  // Some of them have ended by now.
  const refused = await waitFor("the caller's queue to be full", async () => {
    const answer = await ask();
    return answer.status === 202 ? undefined : answer;
  });
  expect(refused).toMatchObject({
    status: 429,
    body: { code: "too_many_queued", detail: expect.stringContaining(`${MANY} tasks of this caller are unfinished`) },
  });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await waiting()).toBeGreaterThan(0.99 * MANY);
  const waits = await othersWait(10);
  // A slot is free within one answer of the engine's, and the other caller's prompt is the next.
  expect(median(waits)).toBeLessThan(alone + SECONDS + 2);
  expect(Math.max(...waits)).toBeLessThan(NEVER_OVER);
  expect(await waiting()).toBeGreaterThan(0.98 * MANY);

  let isOver = false;
  const statuses = new Set<number>();
  const storm = times(2 * MANY, async (index) => {
    const id = ids[index % MANY] ?? "";
    const path = (index + Math.floor(index / MANY)) % 2 === 0 ? `/tasks/${id}` : `/inference/${id}`;
    statuses.add((await api.ask("DELETE", path, undefined, INFER)).status);
  }).finally(() => {
    isOver = true;
  });
  const during: number[] = [];
  while (!isOver) {
    during.push(...(await othersWait(1)));
  }
  await storm;
  expect(median(during)).toBeLessThan(alone + SECONDS + 5);
  expect(Math.max(...during)).toBeLessThan(NEVER_OVER);
  expect([...statuses].filter((one) => ![202, 204, 404, 409].includes(one))).toEqual([]);
  await waitFor("the queue to be empty", async () => ((await waiting()) < 10 ? true : undefined), 120);
  expect((await ask()).status).toBe(202);
  expect(await residentBytes()).toBeLessThan(450 * MEGABYTE);
  expect(api.process.output()).not.toContain("unexpectedly");
}, 600_000);

it("answers others while two thousand tasks of one caller look every second whether their model is there", async () => {
  await start();
  const alone = median(await othersWait(5));
  const absent = publishSlowly(stand.registry, "absent", { seconds: 120, seed: stand.nextSeed() });
  // The stand-in would say that it has it at once.
  const pull = await api.pull(absent, { worker: "w1" });
  await flood(2_000, { model: absent, prompt: "x", options: { max_tokens: 1 } });
  const waits = await othersWait(20);
  expect((await api.task(pull)).error).toBeUndefined();
  expect(await waiting()).toBeGreaterThanOrEqual(1_990);
  expect(median(waits)).toBeLessThan(alone + 3);
  expect(Math.max(...waits)).toBeLessThan(NEVER_OVER);
}, 300_000);
