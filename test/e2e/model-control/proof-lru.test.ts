/** Who leaves when memory is short, asked through the API's own process, with a real Ollama and Redis. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ControlStand } from "./control-stand";
import { tinyLlama } from "./registry";
import type { Api, TaskStatus } from "./start-api";

const ROOMY = 8e9;

describe("a worker with room for two models beside the pinned one", () => {
  let stand: ControlStand;
  let api: Api;
  let [pinned, first, second, third] = ["", "", "", ""];
  let memoryOfOne = 0;

  beforeAll(async () => {
    stand = await ControlStand.start();
    const publish = (name: string) => stand.registry.publish(`${name}:latest`, tinyLlama({ seed: stand.nextSeed() }));
    [pinned, first, second, third] = [publish("pinned"), publish("first"), publish("second"), publish("third")];
    // What a model takes is known after it was loaded once.
    const roomy = await stand.replica({ worker: { memoryBytes: ROOMY } });
    for (const model of [pinned, first, second, third]) {
      await roomy.ended(await roomy.pull(model));
    }
    const sizes = ((await roomy.ask("GET", "/models")).body.models as readonly ModelBody[]).map(memoryOf);
    memoryOfOne = Math.max(...sizes);
    expect(new Set(sizes)).toEqual(new Set([memoryOfOne]));
    for (const model of [pinned, first, second, third]) {
      await roomy.ask("DELETE", `/models/${model}`);
    }
    expect(await stand.listedBy("/api/ps")).toEqual([]);
    await replaceApi([pinned]);
  });
  afterAll(() => stand?.stop());

  async function replaceApi(pins: readonly string[]): Promise<void> {
    await stand.stopReplicas();
    api = await stand.replica({ worker: { memoryBytes: Math.floor(3.5 * memoryOfOne), pins } });
  }

  async function load(model: string): Promise<TaskStatus> {
    const { body } = await api.ask("POST", "/models/load", { model });
    return api.ended(body.task_id);
  }

  /** As a client of the models does, past the API. */
  async function generate(model: string): Promise<void> {
    const body = JSON.stringify({ model, prompt: "hello", stream: false, options: { num_predict: 1 } });
    expect((await fetch(`${stand.ollama.url}/api/generate`, { method: "POST", body })).status).toBe(200);
  }

  async function state(model: string): Promise<ModelBody> {
    return (await api.ask("GET", `/models/${model}/status`)).body;
  }

  it("unloads the least recently used for a third, never the pinned one, though it was used before all others", async () => {
    for (const model of [pinned, first, second]) {
      expect(await load(model)).toMatchObject({ state: "completed" });
    }
    expect(await stand.listedBy("/api/ps")).toEqual([pinned, first, second].sort());
    expect(await load(third)).toMatchObject({ state: "completed", worker: "w1" });
    expect(await stand.listedBy("/api/ps")).toEqual([pinned, second, third].sort());
    expect(await state(first)).toMatchObject({ state: "on_disk", pinned: false });
    expect(await state(pinned)).toMatchObject({ state: "loaded", pinned: true });
    expect(await (await fetch(api.metricsUrl)).text()).toContain(
      'model_control_evictions_total{worker="w1",from="memory"} 1',
    );
  });

  it("counts what clients use, also while the API is down, and remembers the order over a crash", async () => {
    await api.process.kill();
    // In memory: pinned, second, third. The second was loaded before the third, and is used after it.
    await generate(second);
    await api.process.start();
    await api.process.waitForOutput(/the task queue is connected[\s\S]*the task queue is connected/, 20);
    expect(await load(first)).toMatchObject({ state: "completed" });
    expect(await stand.listedBy("/api/ps")).toEqual([pinned, first, second].sort());
  });

  it("refuses with the bytes that are short, and unloads nothing, when all that is loaded is pinned", async () => {
    await replaceApi([pinned, first, second]);
    const refused = await load(third);
    expect(refused).toMatchObject({ state: "failed", attempts: { made: 1 } });
    expect(refused.error).toMatch(
      /^no room for .*third:latest: w1: memory: needs .+, has .+ free and 0\.0 MiB that may leave of /,
    );
    expect(await stand.listedBy("/api/ps")).toEqual([pinned, first, second].sort());
  });
});

interface ModelBody {
  readonly state: string;
  readonly pinned: boolean;
  readonly placements: readonly { readonly memory_bytes?: number }[];
}

function memoryOf({ placements }: ModelBody): number {
  return placements[0]?.memory_bytes ?? 0;
}
