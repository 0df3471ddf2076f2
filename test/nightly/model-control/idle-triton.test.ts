/** Models that leave a real Triton by themselves: the API and Redis are real; the model is the test's, behind what is rendered for it. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ended, infer } from "../../e2e/model-control/inference-calls";
import { type Redis, startRedis } from "../../e2e/model-control/registry";
import { Api, ApiBundle } from "../../e2e/model-control/start-api";
import { RealTritonModel } from "../../e2e/triton/real-model";

const MODEL = "llama";
/** Seconds after which it leaves; a sweep each second, and a busy machine, come on top. */
const IDLE = 4;
const LATE = 6;

const index = z.array(z.object({ name: z.string(), state: z.string().optional() }));

describe("a model on a real Triton that nobody uses", () => {
  let triton: RealTritonModel;
  let redis: Redis;
  let bundle: ApiBundle;
  let api: Api;

  beforeAll(async () => {
    bundle = ApiBundle.build();
    [redis, triton] = await Promise.all([startRedis(), RealTritonModel.start()]);
    api = await Api.start(bundle, {
      redis: { url: redis.url },
      workers: [{ name: "t", backend: "triton", url: triton.url, memoryBytes: 8e9 }],
      idle: { seconds: IDLE },
      inference: { wait: { polls: 60, seconds: 0.5 } },
    });
    await api.process.waitForOutput(/the task queue is connected/, 20);
  });
  afterAll(async () => {
    await api?.process.stop();
    await Promise.all([triton?.stop(), redis?.stop()]);
    bundle?.remove();
  });

  /** As Triton itself says. */
  async function state(): Promise<string | undefined> {
    const answer = await fetch(`${triton.url}/v2/repository/index`, { method: "POST", body: "{}" });
    return index.parse(await answer.json()).find(({ name }) => name === MODEL)?.state;
  }

  const gone = () => expect.poll(state, { timeout: (IDLE + LATE + 10) * 1000, interval: 100 }).toBe("UNAVAILABLE");

  async function load(): Promise<void> {
    const { body } = await api.ask("POST", "/models/load", { model: MODEL });
    expect(await api.ended(body.task_id)).toMatchObject({ state: "completed" });
    expect(await state()).toBe("READY");
  }

  /** As a client of Triton does, past the API: half a second for each token. */
  function generate(tokens: number): Promise<Response> {
    const body = JSON.stringify({ text_input: "a", sampling_param_max_tokens: tokens });
    return fetch(`${triton.url}/v2/models/${MODEL}/generate_stream`, { method: "POST", body });
  }

  it("leaves at the time that its status says, and is brought back by a request that waits for it", async () => {
    await load();
    const { placements } = (await api.ask("GET", `/models/${MODEL}/status`)).body;
    const due = Date.parse(placements[0]?.unloads_at ?? "");
    expect(due).toBeGreaterThan(Date.now());
    await gone();
    const late = Date.now() - due;
    console.log(`left ${late} ms after the time that its status said`);
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(LATE * 1000);
    expect((await api.ask("GET", `/models/${MODEL}/status`)).body).toMatchObject({ state: "on_disk" });
    // Triton itself loads nothing for a request.
    expect([400, 404]).toContain((await generate(1)).status);

    const task = await infer(api, { model: MODEL, prompt: "hello", options: { max_tokens: 2 } });
    expect(await ended(api, task)).toMatchObject({ state: "completed", items: [{ text: "hello 0hello 1" }] });
    expect(await state()).toBe("READY");
    await gone();
  });

  it("stays while clients ask Triton itself", async () => {
    await load();
    for (const until = Date.now() + 3 * IDLE * 1000; Date.now() < until; ) {
      await pause(1000);
      expect(await state()).toBe("READY");
      expect(await (await generate(1)).text()).toContain('"text_output":"a 0"');
    }
    await gone();
  });

  it("ends an answer that is longer than its time before it leaves", async () => {
    await load();
    const tokens = 2 * (2 * IDLE + 2);
    const text = await (await generate(tokens)).text();
    expect(text).toContain(`"text_output":"a ${tokens - 1}"`);
    await gone();
  });
});
