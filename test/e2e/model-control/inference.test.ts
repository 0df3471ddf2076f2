/** Asynchronous inference on a real Redis, a real Ollama, and the API's own bundle in processes that are killed. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { ControlStand } from "./control-stand";
import { ended, infer, look } from "./inference-calls";
import { publishSlowly, tinyLlama } from "./registry";
import { type Api, INFER, OPERATE, READ } from "./start-api";

const SECRET = "Xylophone-prompt-42";

let stand: ControlStand;
let seed = 5000;

beforeAll(async () => {
  stand = await ControlStand.start();
});
afterAll(() => stand?.stop());
afterEach(async () => {
  stand.registry.misbehaviour.bytesPerSecond = undefined;
  await stand.stopReplicas();
});

function replica(inference: object = {}): Promise<Api> {
  return stand.replica({
    inference: { wait: { polls: 60, seconds: 0.5 }, ...inference },
    pulls: { backoffSeconds: 0.5 },
  });
}

/** A model that nobody has pulled yet. */
function publish(name: string): string {
  return stand.registry.publish(`${name}:latest`, tinyLlama({ seed: seed++ }));
}

describe("a model that is on no disk", () => {
  it("is pulled, loaded, and answers; progress is seen, and nothing of it is in the log", async () => {
    const api = await replica();
    const model = publishSlowly(stand.registry, "absent", { seconds: 4, seed: seed++ });
    const id = await infer(api, { model, prompt: SECRET, options: { max_tokens: 7 } });
    const steps = new Set<string>();
    const answer = await waitFor("the answer", async () => {
      const { step, state, ...rest } = await look(api, id);
      steps.add(step?.replace(/\d+/, "N") ?? "");
      return state === "completed" || state === "failed" ? { state, ...rest } : undefined;
    });
    expect(answer).toMatchObject({ state: "completed", progress: 100, worker: "w1" });
    expect([...steps]).toEqual(expect.arrayContaining(["pulling N %"]));
    expect(answer.items).toEqual([
      expect.objectContaining({ state: "completed", finish_reason: "length", completion_tokens: 7, attempts: 1 }),
    ]);
    expect(answer.items[0]?.text?.length).toBeGreaterThan(0);
    expect(api.process.output()).not.toContain(SECRET);
    expect(await api.task(id)).toMatchObject({ state: "completed", kind: "inference" });
    const metrics = await (await fetch(api.metricsUrl)).text();
    expect(metrics).toMatch(/model_control_inference_answers_total\{[^}]*outcome="length"\} 1/);
    expect(metrics).toMatch(/model_control_inference_tokens_total\{[^}]*direction="out"\} 7/);
    expect(metrics).toMatch(/model_control_inference_oldest_waiting_seconds 0/);
  });

  it("is not pulled for a token that may not, and the reason is said", async () => {
    const api = await replica();
    const id = await infer(api, { model: publish("not-for-you"), prompt: "hello" }, INFER);
    expect(await ended(api, id, INFER)).toMatchObject({
      state: "failed",
      error: expect.stringContaining('its scopes lack "pull"'),
      items: [{ state: "failed", error: { code: "model_not_ready" } }],
    });
  });
});

describe("an answer", () => {
  it("is its asker's alone, in every route, and gone when it is deleted", async () => {
    const api = await replica();
    const model = publish("private");
    await api.ended(await api.pull(model));
    const id = await infer(api, { model, prompt: SECRET, options: { max_tokens: 3 } }, INFER);
    expect(await ended(api, id, INFER)).toMatchObject({ state: "completed" });

    const never = id.replace(/[0-9a-f]{12}$/, "000000000000");
    for (const [method, path] of [
      ["GET", "/inference/ID"],
      ["DELETE", "/inference/ID"],
      ["GET", "/tasks/ID/status"],
      ["DELETE", "/tasks/ID"],
    ] as const) {
      const [theirs, none] = await Promise.all(
        [id, never].map((one) => api.ask(method, path.replace("ID", one), undefined, OPERATE)),
      );
      expect(theirs?.status).toBe(404);
      expect(theirs?.body.code).toBe(none?.body.code);
      expect(theirs?.body.detail?.replace(id, never)).toBe(none?.body.detail);
    }
    const listed = async (token: string) => JSON.stringify((await api.ask("GET", "/tasks", undefined, token)).body);
    expect(await listed(OPERATE)).not.toContain(id);
    expect(await api.ask("GET", `/tasks/${id}/status`, undefined, INFER)).toMatchObject({ status: 200 });
    expect(await api.ask("POST", "/inference", { model, prompt: "x" }, READ)).toMatchObject({ status: 403 });

    expect(await stand.redisHolds(SECRET)).toBe(false);
    expect(await api.ask("DELETE", `/inference/${id}`, undefined, INFER)).toMatchObject({ status: 204 });
    expect(await api.ask("GET", `/inference/${id}`, undefined, INFER)).toMatchObject({ status: 404 });
    expect(await stand.redisKeys(`*${id}*answers`)).toEqual([]);
  });

  it("is one for the same idempotency key, and another request with the key is refused", async () => {
    const api = await replica();
    const model = publish("once");
    const ask = { model, prompt: "hello", options: { max_tokens: 2 } };
    const key = { "idempotency-key": "order-66" };
    const ids = await Promise.all([1, 2, 3].map(() => infer(api, ask, OPERATE, key)));
    expect(new Set(ids).size).toBe(1);
    expect(await api.ask("POST", "/inference", { ...ask, prompt: "bye" }, OPERATE, key)).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" },
    });
    expect(await ended(api, ids[0] ?? "")).toMatchObject({ state: "completed" });
    expect(await infer(api, ask, OPERATE, key)).toBe(ids[0]);
    expect(api.process.output()).not.toContain("order-66");
    expect(await stand.redisHolds("order-66")).toBe(false);
  });

  it("is kept as far as it came when the API is killed in its midst, and is never a second one", async () => {
    const api = await replica();
    const model = publish("killed");
    await api.ended(await api.pull(model));
    // The tiny model writes thousands of tokens in a second: an answer of seconds is a long one.
    const id = await infer(api, { model, prompt: "hello", options: { max_tokens: 8000 } });
    await waitFor("the answer to begin", async () => ((await look(api, id)).items[0]?.text ? true : undefined));
    await api.process.kill();
    await api.process.start();
    const answer = await ended(api, id, OPERATE, 90);
    expect(answer.items[0]).toMatchObject({
      finish_reason: "interrupted",
      attempts: 1,
      error: { code: "interrupted" },
    });
    expect(answer.items[0]?.text?.length).toBeGreaterThan(0);
    expect(answer.state).toBe("failed");
  });

  it("comes after the API was killed while the model was pulled", async () => {
    const api = await replica();
    const model = publishSlowly(stand.registry, "killed-pull", { seconds: 15, seed: seed++ });
    const id = await infer(api, { model, prompt: "hello", options: { max_tokens: 3 } });
    await waitFor("the pull", async () => (/pulling [1-9]/.test((await look(api, id)).step ?? "") ? true : undefined));
    await api.process.kill();
    stand.registry.misbehaviour.bytesPerSecond = undefined;
    await api.process.start();
    expect(await ended(api, id, OPERATE, 90)).toMatchObject({ state: "completed", items: [{ attempts: 1 }] });
  });
});

describe("a batch", () => {
  it("gives the answers that it can; cancelled in its midst it keeps those that are there", async () => {
    const api = await replica();
    const model = publish("batch");
    await api.ended(await api.pull(model));
    const whole = await infer(api, { model, prompt: Array(20).fill("hello"), options: { max_tokens: 3 } });
    const answers = await ended(api, whole);
    expect(answers).toMatchObject({ state: "completed", progress: 100 });
    expect(answers.items.map(({ state }) => state)).toEqual(Array(20).fill("completed"));

    const id = await infer(api, { model, prompt: Array(100).fill("hello"), options: { max_tokens: 500 } });
    await waitFor("some answers", async () => ((await look(api, id)).progress >= 3 ? true : undefined));
    expect(await api.ask("DELETE", `/tasks/${id}`)).toMatchObject({ status: 202 });
    const left = await ended(api, id);
    expect(left).toMatchObject({ state: "failed", error: "cancelled" });
    const states = left.items.map(({ state }) => state);
    expect(states[0]).toBe("completed");
    expect(states.at(-1)).toBe("cancelled");
  });
});

describe("limits", () => {
  it("are told: of prompts, of bytes, of one caller's tasks; others are served meanwhile", async () => {
    const api = await replica({ queuedPerCaller: 3, prompts: 5, promptBytes: 2048, wait: { polls: 60, seconds: 30 } });
    const model = publish("limited");
    await api.ended(await api.pull(model));
    const absent = publish("nobody-pulls-it");
    const refused = (body: object, token = OPERATE) => api.ask("POST", "/inference", body, token);
    expect(await refused({ model, prompt: Array(6).fill("x") })).toMatchObject({
      status: 422,
      body: { code: "beyond_limits", detail: expect.stringContaining("prompts: 6, and 5 is the most") },
    });
    expect(await refused({ model, prompt: "x".repeat(3000) })).toMatchObject({ status: 413 });
    expect(await refused({ model, prompt: "x", options: { max_tokens: 1_000_000 } })).toMatchObject({ status: 422 });
    expect(await refused({ model, prompt: "x", messages: [{ role: "user", content: "x" }] })).toMatchObject({
      status: 400,
    });

    await stand.stopEngine();
    for (let i = 0; i < 3; i++) {
      await infer(api, { model: absent, prompt: "x" });
    }
    const full = await refused({ model: absent, prompt: "x" });
    expect(full).toMatchObject({ status: 429, body: { code: "too_many_queued" } });
    expect(full.headers.get("retry-after")).toBe("30");
    await stand.startEngine();
    const other = await infer(api, { model, prompt: "x", options: { max_tokens: 2 } }, INFER);
    expect(await ended(api, other, INFER, 90)).toMatchObject({ state: "completed" });
  });

  it("without Redis there is a 503 within two seconds, and then it goes on by itself", async () => {
    const api = await replica();
    const model = publish("redis-away");
    await api.ended(await api.pull(model));
    await stand.redis.process.kill();
    const before = Date.now();
    expect(await api.ask("POST", "/inference", { model, prompt: "x" })).toMatchObject({
      status: 503,
      body: { code: "queue_unavailable" },
    });
    expect(Date.now() - before).toBeLessThan(2_000);
    await stand.redis.process.start();
    const id = await waitFor("the queue", async () => {
      const { status, body } = await api.ask("POST", "/inference", { model, prompt: "x", options: { max_tokens: 2 } });
      return status === 202 ? body.task_id : undefined;
    });
    expect(await ended(api, id)).toMatchObject({ state: "completed" });
  });
});
