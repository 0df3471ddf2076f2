/** What happens to asynchronous inference when processes die or are stopped, on a real Redis and Ollama: the engine counts. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { ControlStand } from "./control-stand";
import { EngineProxy } from "./engine-proxy";
import { ended, infer, look } from "./inference-calls";
import { publishSlowly, tinyLlama } from "./registry";
import { type Api, INFER, OPERATE } from "./start-api";

let stand: ControlStand;
let engine: EngineProxy;

beforeAll(async () => {
  stand = await ControlStand.start();
});
afterAll(() => stand?.stop());
beforeEach(async () => {
  engine = await EngineProxy.start(stand.ollama.url);
});
afterEach(async () => {
  stand.registry.misbehaviour.bytesPerSecond = undefined;
  await stand.stopReplicas();
  engine.stop();
});

function replica(inference: object = {}): Promise<Api> {
  return stand.replica({
    worker: { url: engine.url },
    inference: { wait: { polls: 60, seconds: 0.5 }, ...inference },
    pulls: { backoffSeconds: 0.5 },
  });
}

function publish(name: string): string {
  return stand.registry.publish(`${name}:latest`, tinyLlama({ seed: stand.nextSeed() }));
}

/** On the disk alone. */
async function pulled(api: Api, name: string): Promise<string> {
  const model = publish(name);
  expect(await api.ended(await api.pull(model, { load: false }))).toMatchObject({ state: "completed" });
  return model;
}

async function restarted(api: Api): Promise<void> {
  await api.process.kill();
  await api.process.start();
}

/** Keeps loads waiting until it is called. */
function holdLoads(): () => void {
  let release = () => {};
  engine.loadsWait = new Promise((resolve) => {
    release = resolve;
  });
  return release;
}

describe("the API is killed", () => {
  it("in the pull: the model comes all the same, and the engine is asked once", async () => {
    const api = await replica();
    const model = publishSlowly(stand.registry, "in-the-pull", { seconds: 15, seed: stand.nextSeed() });
    const id = await infer(api, { model, prompt: "pull", options: { max_tokens: 3 } });
    await waitFor("the pull", async () => (/pulling [1-9]/.test((await look(api, id)).step ?? "") ? true : undefined));
    await api.process.kill();
    stand.registry.misbehaviour.bytesPerSecond = undefined;
    await api.process.start();
    expect(await ended(api, id, OPERATE, 90)).toMatchObject({ state: "completed", items: [{ attempts: 1 }] });
    expect(engine.prompts).toEqual(["pull"]);
  });

  it("in the load: the model is loaded again, and the engine is asked once", async () => {
    const api = await replica();
    const model = await pulled(api, "in-the-load");
    const release = holdLoads();
    const id = await infer(api, { model, prompt: "load", options: { max_tokens: 3 } });
    await waitFor("the load", async () => (engine.loads.length > 0 ? true : undefined));
    expect(await look(api, id)).toMatchObject({ state: "queued", step: "loading" });
    await restarted(api);
    await waitFor("another load", async () => (engine.loads.length > 1 ? true : undefined));
    release();
    expect(await ended(api, id, OPERATE, 90)).toMatchObject({ state: "completed", items: [{ attempts: 1 }] });
    expect(engine.prompts).toEqual(["load"]);
  });

  it("in the answer: what came is kept, and the engine is never asked again", async () => {
    const api = await replica();
    const model = publish("in-the-answer");
    await api.ended(await api.pull(model));
    const ask = { model, prompt: "answer", options: { max_tokens: 8000 } };
    const id = await infer(api, ask, OPERATE, { "idempotency-key": "one-answer" });
    await waitFor("the answer to begin", async () => ((await look(api, id)).items[0]?.text ? true : undefined));
    await restarted(api);
    expect(await ended(api, id, OPERATE, 90)).toMatchObject({
      state: "failed",
      items: [{ finish_reason: "interrupted", attempts: 1, text: expect.stringMatching(/./) }],
    });
    // Nor does the caller who asks again because he heard nothing.
    expect(await infer(api, ask, OPERATE, { "idempotency-key": "one-answer" })).toBe(id);
    await pause(2000);
    expect(engine.prompts).toEqual(["answer"]);
  });
});

describe("Redis goes away", () => {
  it("while a task waits for its model: refused meanwhile, and then answered by itself", async () => {
    const api = await replica();
    const model = await pulled(api, "redis-waits");
    const release = holdLoads();
    const id = await infer(api, { model, prompt: "redis", options: { max_tokens: 3 } });
    await waitFor("the load", async () => (engine.loads.length > 0 ? true : undefined));
    await stand.redis.process.kill();
    expect(await api.ask("GET", `/inference/${id}`)).toMatchObject({
      status: 503,
      body: { code: "queue_unavailable" },
    });
    release();
    await stand.redis.process.start();
    expect(await ended(api, id, OPERATE, 90)).toMatchObject({ state: "completed", items: [{ attempts: 1 }] });
    expect(engine.prompts).toEqual(["redis"]);
  });
});

describe("a worker that somebody stopped", () => {
  it("is started for who may do that, has again what it had, and answers; for others it stays stopped", async () => {
    const api = await replica();
    const [model, other] = [publish("stopped"), publish("stopped-too")];
    for (const each of [model, other]) {
      await api.ended(await api.pull(each));
    }
    const loaded = await stand.listedBy("/api/ps");
    expect(loaded).toEqual(expect.arrayContaining([model, other]));
    const stop = await api.ask("POST", "/workers/stop", { worker: "w1" });
    expect(await api.ended(stop.body.task_id)).toMatchObject({ state: "completed" });
    expect(await stand.listedBy("/api/ps")).toEqual([]);

    const waiting = await infer(api, { model, prompt: "later", options: { max_tokens: 3 } }, INFER);
    const told = "w1 is stopped until a user starts it";
    await waitFor("the step", async () => ((await look(api, waiting, INFER)).step === told ? true : undefined));
    expect(await stand.listedBy("/api/ps")).toEqual([]);

    const id = await infer(api, { model, prompt: "now", options: { max_tokens: 3 } });
    expect(await ended(api, id)).toMatchObject({ state: "completed", items: [{ attempts: 1 }] });
    expect(await ended(api, waiting, INFER)).toMatchObject({ state: "completed" });
    await expect.poll(() => stand.listedBy("/api/ps"), { timeout: 10_000 }).toEqual(loaded);
    expect((await api.ask("GET", "/workers")).body.workers).toMatchObject([{ name: "w1", state: "running" }]);
    expect(engine.prompts.toSorted()).toEqual(["later", "now"]);
  });
});

describe("a batch of twenty", () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `prompt ${index}`);

  it("has nineteen answers and one error where one prompt is poisonous", async () => {
    const api = await replica({ attempts: 3 });
    const model = publish("poisoned");
    await api.ended(await api.pull(model));
    const prompts = numbered(20);
    engine.poison = "prompt 7";
    const id = await infer(api, { model, prompt: prompts, options: { max_tokens: 3 } });
    const { state, progress, items } = await ended(api, id);
    expect({ state, progress }).toEqual({ state: "completed", progress: 100 });
    expect(items.flatMap((item, index) => (item.state === "completed" ? [] : [index]))).toEqual([7]);
    expect(items[7]).toMatchObject({ state: "failed", attempts: 3, error: { code: "engine_failed" } });
    const answered = items.filter((item) => item.state === "completed");
    expect(answered.every(({ text = "", attempts }) => text.length > 0 && attempts === 1)).toBe(true);
    expect(engine.prompts.toSorted()).toEqual([...prompts, "prompt 7", "prompt 7"].sort());
  });

  it("keeps every answer that had ended when it is cancelled in its midst, and asks for no more", async () => {
    const api = await replica({ concurrency: 1 });
    const model = publish("cancelled");
    await api.ended(await api.pull(model));
    const id = await infer(api, { model, prompt: numbered(20), options: { max_tokens: 800 } });
    await waitFor("some answers", async () => ((await look(api, id)).progress >= 20 ? true : undefined));
    expect(await api.ask("DELETE", `/tasks/${id}`)).toMatchObject({ status: 202 });
    const { state, error, items } = await ended(api, id);
    expect({ state, error }).toEqual({ state: "failed", error: "cancelled" });
    const complete = items.filter((item) => item.state === "completed");
    expect(complete.length).toBeGreaterThanOrEqual(4);
    expect(complete.length).toBeLessThan(20);
    expect(complete.every(({ text = "", completion_tokens }) => text.length > 0 && completion_tokens === 800)).toBe(
      true,
    );
    expect(items.filter((item) => item.state === "cancelled")).toHaveLength(20 - complete.length);
    const asked = engine.prompts.length;
    await pause(2000);
    expect(engine.prompts).toHaveLength(asked);
    expect(asked).toBeLessThanOrEqual(complete.length + 1);
  });
});
