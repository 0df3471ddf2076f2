/** What two replicas of the API do to a real Ollama by idle times, pins and room, in a random order: its budget holds at every moment. */
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ControlStand } from "../../e2e/model-control/control-stand";
import { ended, infer } from "../../e2e/model-control/inference-calls";
import { tinyLlama } from "../../e2e/model-control/registry";
import type { Api } from "../../e2e/model-control/start-api";

const STEPS = 30;
const IDLE = 3;
const SEED = Date.now() % 2 ** 31;
const NAMES = ["pinned", "first", "second", "third", "fourth"] as const;

const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant("load" as const), name, replica: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("ask" as const), name, replica: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("both" as const), name, other: name }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("wait" as const), ms: fc.integer({ min: 500, max: 4000 }) }) },
);

let stand: ControlStand;
const models = new Map<string, string>();
const modelOf = (each: string): string => models.get(each) ?? "";

beforeAll(async () => {
  stand = await ControlStand.start();
  for (const each of NAMES) {
    models.set(each, stand.registry.publish(`${each}:latest`, tinyLlama({ seed: stand.nextSeed() })));
  }
});
afterAll(() => stand?.stop());

async function inMemory(): Promise<readonly { readonly name: string; readonly size: number }[]> {
  const answer = await fetch(`${stand.ollama.url}/api/ps`);
  return ((await answer.json()) as { models: { name: string; size: number }[] }).models;
}

async function load(api: Api, model: string): Promise<string> {
  const { body } = await api.ask("POST", "/models/load", { model });
  return (await api.ended(body.task_id)).state;
}

/** Two and a half models' memory, found by loading them once where there is room for all; then they have left. */
async function budgetOf(): Promise<number> {
  const roomy = await stand.replica();
  for (const model of models.values()) {
    expect(await roomy.ended(await roomy.pull(model))).toMatchObject({ state: "completed" });
  }
  const sizes = (await inMemory()).map(({ size }) => size);
  expect(sizes).toHaveLength(NAMES.length);
  for (const model of models.values()) {
    await roomy.ask("DELETE", `/models/${model}`);
  }
  await stand.stopReplicas();
  return Math.floor(2.5 * Math.max(...sizes));
}

it("never holds more than its budget, always what is pinned, and at last nothing else", async () => {
  console.log(`seed ${SEED}`);
  const memoryBytes = await budgetOf();
  const pinned = modelOf("pinned");
  const settings = {
    worker: { memoryBytes, pins: [pinned] },
    idle: { seconds: IDLE },
    inference: { wait: { polls: 60, seconds: 0.5 } },
  };
  const replicas = [await stand.replica(settings), await stand.replica(settings)] as const;
  const apiOf = (index: number) => (index === 0 ? replicas[0] : replicas[1]);
  expect(await load(replicas[0], pinned)).toBe("completed");

  const most: number[] = [];
  const wrong: string[] = [];
  let watching = true;
  const watcher = (async () => {
    while (watching) {
      const loaded = await inMemory();
      const bytes = loaded.reduce((sum, { size }) => sum + size, 0);
      most.push(bytes);
      if (bytes > memoryBytes || !loaded.some((each) => each.name === pinned)) {
        wrong.push(`${loaded.map((each) => each.name.split("/").at(-1)).join(" ")}: ${bytes} of ${memoryBytes} bytes`);
      }
      await pause(20);
    }
  })();

  const ends: string[] = [];
  const ask = async (api: Api, model: string) =>
    (await ended(api, await infer(api, { model, prompt: "hello", options: { max_tokens: 2 } }))).state;
  try {
    for (const taken of fc.sample(step, { seed: SEED, numRuns: STEPS })) {
      switch (taken.does) {
        case "load":
          ends.push(await load(apiOf(taken.replica), modelOf(taken.name)));
          break;
        case "ask":
          ends.push(await ask(apiOf(taken.replica), modelOf(taken.name)));
          break;
        case "both":
          ends.push(
            ...(await Promise.all([load(replicas[0], modelOf(taken.name)), ask(replicas[1], modelOf(taken.other))])),
          );
          break;
        case "wait":
          await pause(taken.ms);
          break;
      }
    }
    const left = async () => (await stand.listedBy("/api/ps")).join();
    await expect.poll(left, { timeout: 20_000 }).toBe(pinned);
  } finally {
    watching = false;
    await watcher;
  }
  expect([...new Set(wrong)]).toEqual([]);
  expect(ends.filter((end) => end !== "completed")).toEqual([]);
  // Else nothing ever stood beside the pinned one, and no budget could have been broken.
  expect(Math.max(...most)).toBeGreaterThan(memoryBytes / 2);
  // The API looks for itself whether a model has gone before it counts.
  for (const reason of ["idle", "room"]) {
    const series = new RegExp(`model_control_unloads_total\\{worker="w1",reason="${reason}"\\} (\\d+)`);
    const counted = async () => {
      const texts = await Promise.all(replicas.map(async ({ metricsUrl }) => (await fetch(metricsUrl)).text()));
      return texts.reduce((total, text) => total + Number(series.exec(text)?.[1] ?? 0), 0);
    };
    await expect.poll(counted, { timeout: 5000 }).toBeGreaterThan(0);
  }
}, 240_000);
