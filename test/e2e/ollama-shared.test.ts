/**
 * Two planned models on one server: a third replica comes up with both on a real control plane, its pod run as a kubelet
 * would run it, with the pod's own loader and the real Ollama.
 */
import { expect, it } from "vitest";
import { sharedOllamaPlans } from "../harness/plans";
import { tinyLlama } from "./model-control/registry/tiny-llama";
import { ReplicaStand } from "./ollama/replica-stand";
import { sharedBySuite } from "./shared-by-suite";

const stand = sharedBySuite(() =>
  ReplicaStand.start((publish) =>
    sharedOllamaPlans(
      {
        source: publish("tiny:latest", tinyLlama({ seed: 1 })),
        contextTokens: 512,
        concurrency: 1,
        minReplicas: 2,
        maxReplicas: 3,
      },
      { source: publish("other:latest", tinyLlama({ seed: 2 })), contextTokens: 256, concurrency: 1 },
    ),
  ),
);

/** Processes with a model that the server has started, by its own log. */
function loads(): number {
  return [...stand().pod.serverOutput.matchAll(/msg="starting llama server"/g)].length;
}

async function loaded(): Promise<string[]> {
  const { models } = (await (await fetch(`${stand().pod.url}/api/ps`)).json()) as { models: { name: string }[] };
  return models.map(({ name }) => name).sort();
}

async function parametersOf(model: string): Promise<string[]> {
  const shown = await fetch(`${stand().pod.url}/api/show`, { method: "POST", body: JSON.stringify({ model }) });
  const { parameters } = (await shown.json()) as { parameters: string };
  return parameters.replaceAll(/ +/g, " ").split("\n").sort();
}

it("has both models loaded side by side before the third replica is ready", { timeout: 240_000 }, async () => {
  await stand().addReplica();
  await stand().becomes(1);
  expect(await loaded()).toEqual(["finder:latest", "llama-3.2-3b:latest"]);
});

it("answers as both, and neither unloads the other, whoever is asked last", { timeout: 240_000 }, async () => {
  expect(loads()).toBe(2);
  for (const model of ["llama-3.2-3b", "finder", "llama-3.2-3b", "finder"]) {
    expect(await stand().answer(model)).toMatchObject({ object: "text_completion", model });
  }
  expect(loads()).toBe(2);
});

it("gives each the context that was planned for it, and keeps what its registry says", async () => {
  expect(await parametersOf("llama-3.2-3b")).toEqual(["num_batch 512", "num_ctx 512", "num_thread 1"]);
  expect(await parametersOf("finder")).toEqual(["num_batch 512", "num_ctx 256", "num_thread 1"]);
});

it("takes parameters for a model under its own name, as the loader gives them where clients use the registry's", async () => {
  const body = JSON.stringify({ model: "finder", from: "finder", parameters: { num_ctx: 128 }, stream: false });
  const made = await fetch(`${stand().pod.url}/api/create`, { method: "POST", body });
  expect([made.status, await parametersOf("finder")]).toEqual([200, ["num_batch 512", "num_ctx 128", "num_thread 1"]]);
});

it("gets ready again with both, without its registry, when Ollama falls over", { timeout: 240_000 }, async () => {
  const before = stand().registry.requests.length;
  await stand().pod.killServer();
  await stand().becomes(0);
  await stand().pod.startServer();
  await stand().becomes(1);
  expect(stand().registry.requests.slice(before)).toEqual([]);
  expect(await loaded()).toEqual(["finder:latest", "llama-3.2-3b:latest"]);
});
