/** A real Ollama (0.6.5): what it does about a runner whose process stands still, and what the rendered liveness does where it hangs itself. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { container, deployServing, podTemplate } from "../../components/serving/fixture";
import { type Ollama, type Registry, startOllama, startRegistry, tinyLlama } from "../../e2e/model-control/registry";
import { asked, condemnedAfter, end, type LivenessProbe, liveness, processOf } from "../../harness/kubelet";
import { ollamaPlan } from "../../harness/plans";

const DONE = '"done":true';

let ollama: Ollama;
let registry: Registry;
let probe: LivenessProbe;
let tag = "";

beforeAll(async () => {
  const model = ollamaPlan();
  const { deployment } = await deployServing([model]);
  const set = deployment.resource("kubernetes:apps/v1:StatefulSet", `serving-${model.name}-server-statefulset`);
  probe = liveness(container(podTemplate(set).spec, "ollama"));
  [ollama, registry] = await Promise.all([startOllama({ OLLAMA_NUM_PARALLEL: "1" }), startRegistry()]);
  tag = registry.publish("tiny:latest", tinyLlama({ seed: 1, bytes: 24_000_000 }));
  expect(await post("/api/pull", { model: tag, insecure: true, stream: false }, 60)).toContain("success");
});
afterAll(async () => {
  await Promise.all([ollama?.stop(), registry?.stop()]);
});

/** Its answer, or how it failed. */
function post(path: string, body: object, seconds: number): Promise<string> {
  const signal = AbortSignal.timeout(seconds * 1000);
  return fetch(`${ollama.url}${path}`, { method: "POST", body: JSON.stringify(body), signal })
    .then((answer) => answer.text())
    .catch((error: Error) => error.name);
}

const generate = (seconds: number) =>
  post(
    "/api/generate",
    { model: tag, prompt: "a", stream: false, keep_alive: -1, options: { num_predict: 4 } },
    seconds,
  );

const server = () => processOf({ says: ["serve"], parent: process.pid });
const runner = () => processOf({ says: ["runner"], parent: server() });

it("replaces a runner that stands still with the next request", async () => {
  expect(await generate(60)).toContain(DONE);
  const stopped = runner();
  process.kill(stopped, "SIGSTOP");
  const start = Date.now();
  expect(await generate(60)).toContain(DONE);
  console.log(`replaced after ${(Date.now() - start) / 1000} s`);
  expect(runner()).not.toBe(stopped);
});

it("is ended within two minutes where it hangs itself", async () => {
  const pid = server();
  process.kill(pid, "SIGSTOP");
  expect(await condemnedAfter(probe, asked(probe, ollama.url), 120)).toBeLessThan(75);
  expect(await end(pid, probe)).toBeLessThan(probe.terminationGracePeriodSeconds + 5);
});
