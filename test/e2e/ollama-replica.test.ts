/**
 * A replica that nobody planned: made with `kubectl scale` on a real control plane, whose pod this test runs as a
 * kubelet would, with the pod's own loader and the real Ollama.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ollamaPlan } from "../harness/plans";
import { ReplicaStand } from "./ollama/replica-stand";
import { sharedBySuite } from "./shared-by-suite";

const MODEL = "llama-3.2-3b";

const stand = sharedBySuite(() =>
  ReplicaStand.start((publish) => [
    ollamaPlan({
      source: publish("tiny:latest"),
      contextTokens: 512,
      concurrency: 1,
      minReplicas: 2,
      maxReplicas: 3,
    }),
  ]),
);

it("is ready by itself, once its loader has the model answer", { timeout: 240_000 }, async () => {
  await stand().addReplica();
  await stand().becomes(1);
  expect(await stand().answer(MODEL)).toMatchObject({ object: "text_completion", model: MODEL });
});

it("gets ready again without its registry when Ollama falls over", { timeout: 240_000 }, async () => {
  const before = stand().registry.requests.length;
  await stand().pod.killServer();
  await stand().becomes(0);
  await stand().pod.startServer();
  await stand().becomes(1);
  expect(stand().registry.requests.slice(before)).toEqual([]);
  expect(await stand().answer(MODEL)).toMatchObject({ object: "text_completion" });
});

it("fetches the model again after its volume was lost", { timeout: 240_000 }, async () => {
  const before = stand().registry.requests.length;
  await stand().pod.killServer();
  await stand().becomes(0);
  rmSync(join(stand().pod.volume, "models"), { recursive: true });
  await stand().pod.startServer();
  await stand().becomes(1);
  expect(stand().registry.requests.length).toBeGreaterThan(before);
  expect(await stand().answer(MODEL)).toMatchObject({ object: "text_completion" });
});
