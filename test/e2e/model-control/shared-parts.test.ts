/** Models that share their weights on a real Ollama: deleting one while the other comes must not leave that one unusable. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ControlStand } from "./control-stand";
import { tinyLlama } from "./registry";
import type { Api } from "./start-api";

const MEGABYTE = 1_000_000;

let stand: ControlStand;
let api: Api;

beforeAll(async () => {
  stand = await ControlStand.start();
  api = await stand.replica({ pulls: { attempts: 1 } });
});
afterAll(() => stand?.stop());
beforeEach(() => {
  stand.registry.misbehaviour.bytesPerSecond = undefined;
});

/** Two models with the same weights; the second has a part of its own that takes some seconds. */
function publishPair(name: string): { readonly base: string; readonly variant: string } {
  const weights = tinyLlama({ seed: stand.nextSeed(), bytes: MEGABYTE });
  const license = Buffer.from(`license of ${name} `.repeat(MEGABYTE / 30));
  return {
    base: stand.registry.publish(`${name}-base:latest`, weights),
    variant: stand.registry.publish(`${name}-variant:latest`, weights, license),
  };
}

async function completed(task: string): Promise<void> {
  const { state, error } = await api.ended(task);
  expect([state, error]).toEqual(["completed", undefined]);
}

async function answers(model: string): Promise<void> {
  const body = JSON.stringify({ model, prompt: "hello", stream: false, options: { num_predict: 3 } });
  const answer = await fetch(`${stand.ollama.url}/api/generate`, { method: "POST", body });
  expect(await answer.json()).toMatchObject({ done: true, eval_count: 3 });
}

it("a model whose weights are deleted with another one while it is pulled answers all the same", async () => {
  const { base, variant } = publishPair("deleted");
  await completed(await api.pull(base, { load: false }));
  stand.registry.misbehaviour.bytesPerSecond = MEGABYTE / 5;
  const id = await api.pull(variant);
  // The weights are there already: what comes now is the other part.
  await api.taskThat(id, "under way", ({ state, progress }) => state === "running" && progress > 30);
  expect((await api.ask("DELETE", `/models/${base}?purge=true`)).status).toBe(200);
  stand.registry.misbehaviour.bytesPerSecond = undefined;
  await completed(id);
  await answers(variant);
});

it("a model that Ollama lists without its weights is pulled again, and answers", async () => {
  const { base, variant } = publishPair("broken");
  await completed(await api.pull(base, { load: false }));
  stand.registry.misbehaviour.bytesPerSecond = MEGABYTE / 5;
  // Past the API, which would have seen to it.
  const pulling = fetch(`${stand.ollama.url}/api/pull`, {
    method: "POST",
    body: JSON.stringify({ model: variant, insecure: true, stream: false }),
  });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await fetch(`${stand.ollama.url}/api/delete`, { method: "DELETE", body: JSON.stringify({ model: base }) });
  stand.registry.misbehaviour.bytesPerSecond = undefined;
  expect(await (await pulling).json()).toMatchObject({ status: "success" });
  expect(await stand.listedBy("/api/tags")).toContain(variant);
  const shown = await fetch(`${stand.ollama.url}/api/show`, {
    method: "POST",
    body: JSON.stringify({ model: variant }),
  });
  expect(shown.status).toBe(404);
  await completed(await api.pull(variant));
  await answers(variant);
});

it("a name in another case is the model that is there", async () => {
  const { base } = publishPair("case");
  await api.ended(await api.pull(base));
  const other = base.replace("case-base:latest", "CASE-Base:LATEST");
  await completed(await api.pull(other));
  expect((await api.ask("GET", `/models/${other}/status`)).body).toMatchObject({ state: "loaded" });
  expect((await api.ask("DELETE", `/models/${other}?purge=true`)).status).toBe(200);
  expect(await stand.listedBy("/api/tags")).not.toContain(base);
});
