/** Models that leave the memory of a real Ollama by themselves, watched by Ollama's own listing; the API and Redis are real, too. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { ControlStand } from "./control-stand";
import { ended, infer } from "./inference-calls";
import { tinyLlama } from "./registry";
import type { Api } from "./start-api";

/** Seconds after which models leave; and what a sweep each second, and a busy machine, may add to that. */
const IDLE = 4;
const LATE = 6;
/** Bytes of weights with which a single answer takes longer than all the times here. */
const SLOW = 60e6;

interface Placement {
  readonly state: string;
  readonly memory_bytes?: number;
  readonly last_used?: string;
  readonly unloads_at?: string;
  readonly stays?: string;
}

describe("a model on a real Ollama that nobody uses", () => {
  let stand: ControlStand;
  let api: Api;
  let [brief, kept, pinned] = ["", "", ""];
  const answers: AbortController[] = [];

  beforeAll(async () => {
    stand = await ControlStand.start();
    brief = publish("brief", SLOW);
    [kept, pinned] = [publish("kept"), publish("pinned")];
    api = await stand.replica({
      worker: { pins: [pinned] },
      idle: { seconds: IDLE, models: { [kept]: "never" } },
      inference: { wait: { polls: 60, seconds: 0.5 } },
    });
    for (const model of [brief, kept, pinned]) {
      expect(await api.ended(await api.pull(model))).toMatchObject({ state: "completed" });
    }
  });
  afterEach(() => {
    for (const answer of answers.splice(0)) {
      answer.abort();
    }
  });
  afterAll(() => stand?.stop());

  function publish(name: string, bytes?: number): string {
    return stand.registry.publish(`${name}:latest`, tinyLlama({ seed: stand.nextSeed(), bytes }));
  }

  async function load(): Promise<void> {
    const { body } = await api.ask("POST", "/models/load", { model: brief });
    expect(await api.ended(body.task_id)).toMatchObject({ state: "completed" });
  }

  async function status(model = brief): Promise<Placement> {
    const { body } = await api.ask("GET", `/models/${model}/status`);
    return body.placements[0] as Placement;
  }

  const isLoaded = async () => (await stand.listedBy("/api/ps")).includes(brief);

  /** When it was seen to be gone, in ms. */
  function gone(): Promise<number> {
    const see = async () => ((await isLoaded()) ? undefined : Date.now());
    return waitFor("it to leave memory", see, IDLE + LATE + 20);
  }

  /** As a client of Ollama does, past the API. */
  function generate(more: object, signal?: AbortSignal): Promise<Response> {
    const body = JSON.stringify({ model: brief, prompt: "hello", stream: true, ...more });
    return fetch(`${stand.ollama.url}/api/generate`, { method: "POST", body, signal });
  }

  async function use(options: object = {}, more: object = {}): Promise<void> {
    const answer = await generate({ options: { num_predict: 1, ...options }, ...more });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"done":true')]);
  }

  it("leaves at the time that its status says, and not before; who is pinned or may stay, stays", async () => {
    await load();
    const { last_used = "", unloads_at = "" } = await status();
    const due = Date.parse(unloads_at);
    expect(due - Date.parse(last_used)).toBe(IDLE * 1000);
    const at = await gone();
    console.log(`left ${at - due} ms after the time that its status said`);
    expect(at - due).toBeGreaterThanOrEqual(0);
    expect(at - due).toBeLessThan(LATE * 1000);
    expect(await stand.listedBy("/api/ps")).toEqual([kept, pinned].sort());
    expect(await status()).not.toHaveProperty("unloads_at");
    expect(await status()).toMatchObject({ state: "on_disk" });
    expect([await status(kept), await status(pinned)]).toMatchObject([{ stays: "never" }, { stays: "pinned" }]);
    // The API looks for itself whether it has gone before it counts.
    const counted = async () => (await fetch(api.metricsUrl)).text();
    await expect.poll(counted).toMatch(/model_control_unloads_total\{worker="w1",reason="idle"\} [1-9]/);
  });

  it("is brought back by a request that waits for it, and leaves again", async () => {
    await gone();
    const answer = await ended(api, await infer(api, { model: brief, prompt: "hello", options: { max_tokens: 3 } }));
    expect(answer).toMatchObject({ state: "completed", items: [{ completion_tokens: 3 }] });
    const seen = Date.now();
    expect(await isLoaded()).toBe(true);
    expect((await gone()) - seen).toBeGreaterThan((IDLE - 2) * 1000);
  });

  it("stays while clients ask Ollama itself, past the API, and leaves its time after the last of them", async () => {
    await load();
    const until = Date.now() + 3 * IDLE * 1000;
    let last = 0;
    while (Date.now() < until) {
      await pause((IDLE * 1000) / 3);
      expect(await isLoaded()).toBe(true);
      await use();
      last = Date.now();
    }
    // The use is known from the first look after it: the sweep's, or that of the status.
    await gone();
    expect(Date.now() - last).toBeGreaterThanOrEqual(IDLE * 1000);
  });

  it("stays through an answer that is longer than its time, and leaves after that", async () => {
    await load();
    const client = new AbortController();
    answers.push(client);
    const answer = await generate({ options: { num_predict: -1 } }, client.signal);
    let lines = 0;
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) {
        lines += Buffer.from(chunk).toString().split("\n").length - 1;
      }
      return "ended";
    })().catch(() => "broken off");
    await pause(3.5 * IDLE * 1000);
    expect(await isLoaded()).toBe(true);
    const before = lines;
    await pause(1000);
    // Else nothing was in use at the end, and nothing is shown.
    expect(lines).toBeGreaterThan(before);
    // Its time begins anew with each sweep that finds it in use; between its end and that sweep, it is past.
    const left = async () => Date.parse((await status()).unloads_at ?? "") - Date.now();
    await expect.poll(left, { timeout: LATE * 1000 }).toBeGreaterThan(0);
    client.abort();
    expect(await reading).toBe("broken off");
    const broken = Date.now();
    expect((await gone()) - broken).toBeLessThan((2 * IDLE + LATE) * 1000);
  });

  it("leaves when Ollama itself lets it go, where a client has told it to, and the status says so", async () => {
    await load();
    await use({}, { keep_alive: "2s" });
    const used = Date.now();
    const { unloads_at = "" } = await status();
    expect(Math.abs(Date.parse(unloads_at) - used - 2000)).toBeLessThan(1500);
    expect((await gone()) - used).toBeLessThan(IDLE * 1000);
    expect(await status()).toMatchObject({ state: "on_disk" });
  });
});
