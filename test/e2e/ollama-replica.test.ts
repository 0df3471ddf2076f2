/**
 * A replica that nobody planned: made with `kubectl scale` on a real control plane, whose pod this test runs as a
 * kubelet would, with the pod's own loader and the real Ollama.
 */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PRIORITY } from "../../components/core/priority-classes";
import type { KubernetesObject } from "../../kubernetes/object";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../rehearsal/cluster/wait";
import { requirePart } from "../../rehearsal/parts/find";
import { deployServing } from "../components/serving/fixture";
import { ollamaPlan } from "../harness/plans";
import { type Registry, startRegistry } from "./model-control/registry";
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
  const tag = registry.publish("tiny:latest").replace(registry.host, new URL(proxy.url).host);
  const model = ollamaPlan({
    source: { kind: "ollama", tag },
    contextTokens: 512,
    concurrency: 1,
    minReplicas: 2,
    maxReplicas: 3,
  });
  const { deployment } = await deployServing([model]);
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

async function answer(): Promise<unknown> {
  const body = JSON.stringify({ model: "llama-3.2-3b", prompt: "hello", max_tokens: 3 });
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${pod?.url}/v1/completions`, { method: "POST", body, headers });
  return response.json();
}

it("is ready by itself, once its loader has the model answer", { timeout: 240_000 }, async () => {
  const scale = ["scale", `statefulset/${SET}`, "--replicas=3", "--namespace", NAMESPACE];
  execFileSync(requirePart("kubectl"), ["--kubeconfig", plane.kubeconfig, ...scale]);
  const third = await waitFor("the third pod", () =>
    plane.client.get({ apiVersion: "v1", kind: "Pod", metadata: { name: `${SET}-2`, namespace: NAMESPACE } }),
  );
  expect(await readyReplicas()).toBe(0);
  pod = await ReplicaPod.start(plane.client, third, proxy.authority);
  await becomes(1);
  expect(await answer()).toMatchObject({ object: "text_completion", model: "llama-3.2-3b" });
});

it("gets ready again without its registry when Ollama falls over", { timeout: 240_000 }, async () => {
  const before = registry.requests.length;
  await pod?.killServer();
  await becomes(0);
  await pod?.startServer();
  await becomes(1);
  expect(registry.requests.slice(before)).toEqual([]);
  expect(await answer()).toMatchObject({ object: "text_completion" });
});

it("fetches the model again after its volume was lost", { timeout: 240_000 }, async () => {
  const before = registry.requests.length;
  await pod?.killServer();
  await becomes(0);
  rmSync(join(pod?.volume ?? "", "models"), { recursive: true });
  await pod?.startServer();
  await becomes(1);
  expect(registry.requests.length).toBeGreaterThan(before);
  expect(await answer()).toMatchObject({ object: "text_completion" });
});
