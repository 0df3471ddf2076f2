/**
 * Two planned models on one server: a third replica comes up with both on a real control plane, its pod run as a kubelet
 * would run it, with the pod's own loader and the real Ollama.
 */
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PRIORITY } from "../../components/core/priority-classes";
import type { KubernetesObject } from "../../kubernetes/object";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../rehearsal/cluster/wait";
import { requirePart } from "../../rehearsal/parts/find";
import { deployServing } from "../components/serving/fixture";
import { sharedOllamaPlans } from "../harness/plans";
import { type Registry, startRegistry } from "./model-control/registry";
import { tinyLlama } from "./model-control/registry/tiny-llama";
import { startTlsProxy } from "./model-control/registry/tls-proxy";
import { ReplicaPod } from "./ollama/replica-pod";

const NAMESPACE = "model-llama-3b";
const SET = "model-llama-3b";
const KINDS = ["Namespace", "ServiceAccount", "ConfigMap", "Service", "StatefulSet", "ResourceQuota"];
const SECONDS = 120;

let plane: ControlPlane;
let registry: Registry;
let proxy: Awaited<ReturnType<typeof startTlsProxy>>;
let pod: ReplicaPod | undefined;

beforeAll(async () => {
  [plane, registry] = await Promise.all([ControlPlane.start({ controllers: true }), startRegistry()]);
  // Ollama takes models from registries with TLS only.
  proxy = await startTlsProxy(`http://${registry.host}`, plane.folder);
  const published = (name: string, seed: number) => ({
    kind: "ollama" as const,
    tag: registry.publish(name, tinyLlama({ seed })).replace(registry.host, new URL(proxy.url).host),
  });
  const [host, guest] = sharedOllamaPlans(
    { source: published("tiny:latest", 1), contextTokens: 512, concurrency: 1, minReplicas: 2, maxReplicas: 3 },
    { source: published("other:latest", 2), contextTokens: 256, concurrency: 1 },
  );
  const { deployment } = await deployServing([host, guest]);
  await plane.client.apply({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: PRIORITY.serving.name },
    value: PRIORITY.serving.value,
  } as KubernetesObject);
  const objects = recordedObjects(deployment.recording.resources).filter(({ kind }) => KINDS.includes(kind));
  for (const object of objects) {
    await plane.client.apply(object);
  }
}, 120_000);
afterAll(async () => {
  await pod?.stop();
  await Promise.all([proxy?.stop(), registry?.stop(), plane?.stop()]);
});

async function readyReplicas(): Promise<number> {
  const set = { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: SET, namespace: NAMESPACE } };
  const { status } = (await plane.client.get(set as KubernetesObject)) as { status?: { readyReplicas?: number } };
  return status?.readyReplicas ?? 0;
}

const becomes = (count: number) =>
  waitFor(`${count} ready replicas`, async () => ((await readyReplicas()) === count ? true : undefined), SECONDS);

async function answer(model: string): Promise<unknown> {
  const body = JSON.stringify({ model, prompt: "hello", max_tokens: 3, seed: 1 });
  const headers = { "Content-Type": "application/json" };
  return (await fetch(`${pod?.url}/v1/completions`, { method: "POST", body, headers })).json();
}

/** Processes with a model that the server has started, by its own log. */
function loads(): number {
  return [...(pod?.serverOutput.matchAll(/msg="starting llama server"/g) ?? [])].length;
}

async function loaded(): Promise<string[]> {
  const { models } = (await (await fetch(`${pod?.url}/api/ps`)).json()) as { models: { name: string }[] };
  return models.map(({ name }) => name).sort();
}

async function parametersOf(model: string): Promise<string[]> {
  const shown = await fetch(`${pod?.url}/api/show`, { method: "POST", body: JSON.stringify({ model }) });
  const { parameters } = (await shown.json()) as { parameters: string };
  return parameters.replaceAll(/ +/g, " ").split("\n").sort();
}

it("has both models loaded side by side before the third replica is ready", { timeout: 240_000 }, async () => {
  const scale = ["scale", `statefulset/${SET}`, "--replicas=3", "--namespace", NAMESPACE];
  execFileSync(requirePart("kubectl"), ["--kubeconfig", plane.kubeconfig, ...scale]);
  const third = await waitFor("the third pod", () =>
    plane.client.get({ apiVersion: "v1", kind: "Pod", metadata: { name: `${SET}-2`, namespace: NAMESPACE } }),
  );
  expect(await readyReplicas()).toBe(0);
  pod = await ReplicaPod.start(plane.client, third, proxy.authority);
  await becomes(1);
  expect(await loaded()).toEqual(["finder:latest", "llama-3.2-3b:latest"]);
});

it("answers as both, and neither unloads the other, whoever is asked last", { timeout: 240_000 }, async () => {
  expect(loads()).toBe(2);
  for (const model of ["llama-3.2-3b", "finder", "llama-3.2-3b", "finder"]) {
    expect(await answer(model)).toMatchObject({ object: "text_completion", model });
  }
  expect(loads()).toBe(2);
});

it("gives each the context that was planned for it, and keeps what its registry says", async () => {
  expect(await parametersOf("llama-3.2-3b")).toEqual(["num_batch 512", "num_ctx 512", "num_thread 1"]);
  expect(await parametersOf("finder")).toEqual(["num_batch 512", "num_ctx 256", "num_thread 1"]);
});

it("takes parameters for a model under its own name, as the loader gives them where clients use the registry's", async () => {
  const body = JSON.stringify({ model: "finder", from: "finder", parameters: { num_ctx: 128 }, stream: false });
  const made = await fetch(`${pod?.url}/api/create`, { method: "POST", body });
  expect([made.status, await parametersOf("finder")]).toEqual([200, ["num_batch 512", "num_ctx 128", "num_thread 1"]]);
});

it("gets ready again with both, without its registry, when Ollama falls over", { timeout: 240_000 }, async () => {
  const before = registry.requests.length;
  await pod?.killServer();
  await becomes(0);
  await pod?.startServer();
  await becomes(1);
  expect(registry.requests.slice(before)).toEqual([]);
  expect(await loaded()).toEqual(["finder:latest", "llama-3.2-3b:latest"]);
});
