/** A node whose only replica never got ready is drained, on the real control plane: `kubectl drain` asks its eviction API. */
import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { requirePart } from "../../rehearsal/parts/find";
import { programRun } from "../stacks/run";

const NAMESPACE = "model-reasoner";
const NODE = "gpu-1";
const KINDS = ["Namespace", "ServiceAccount", "PriorityClass", "PodDisruptionBudget"];

const isOfModel = ({ metadata }: KubernetesObject) => [metadata.namespace, metadata.name].includes(NAMESPACE);

function rendered(objects: readonly KubernetesObject[], kind: string): KubernetesObject {
  const found = objects.find((each) => each.kind === kind && each.metadata.namespace === NAMESPACE);
  if (found === undefined) {
    throw new Error(`oci-a10 has no ${kind} of the model reasoner`);
  }
  return found;
}

describe("draining the node of a single replica that is not ready", { timeout: 120_000 }, () => {
  let controlPlane: ControlPlane;
  let kubelet: NodeJS.Timeout;
  let budget: KubernetesObject;

  const pods = async () => (await controlPlane.client.list("v1", "Pod")).filter(isOfModel);
  const path = ({ metadata }: KubernetesObject) => `/api/v1/namespaces/${NAMESPACE}/pods/${metadata.name}`;

  beforeAll(async () => {
    controlPlane = await ControlPlane.start({
      controllers: ["disruption-controller", "deployment-controller", "replicaset-controller"],
    });
    const { client } = controlPlane;
    const objects = recordedObjects((await programRun("oci-a10")).deployment.recording.resources);
    const needed = objects.filter(
      (each) => each.kind === "PriorityClass" || (KINDS.includes(each.kind) && isOfModel(each)),
    );
    for (const object of needed.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))) {
      await client.apply(object);
    }
    await client.apply({ apiVersion: "v1", kind: "Node", metadata: { name: NODE } });
    const deployment = rendered(objects, "Deployment");
    budget = rendered(objects, "PodDisruptionBudget");
    const bound = structuredClone(deployment) as KubernetesObject & {
      spec: { template: { spec: Record<string, unknown> } };
    };
    bound.spec.template.spec.nodeName = NODE;
    await client.apply(bound);
    // What a kubelet would do: pods run and are never ready, and those that are deleted go.
    kubelet = setInterval(() => void playKubelet().catch(() => undefined), 500);
    await vi.waitFor(async () => expect((await pods()).map(phase)).toEqual(["Running"]), {
      timeout: 30_000,
      interval: 500,
    });
  }, 90_000);

  afterAll(async () => {
    clearInterval(kubelet);
    await controlPlane?.stop();
  });

  const phase = (pod: KubernetesObject) => (pod.status as { phase?: string } | undefined)?.phase;

  async function playKubelet() {
    for (const pod of await pods()) {
      if ("deletionTimestamp" in pod.metadata) {
        await controlPlane.client.request("DELETE", `${path(pod)}?gracePeriodSeconds=0`);
      } else if (phase(pod) !== "Running") {
        const status = { phase: "Running", conditions: [{ type: "Ready", status: "False" }] };
        await controlPlane.client.request(
          "PATCH",
          `${path(pod)}/status`,
          JSON.stringify({ status }),
          "application/merge-patch+json",
        );
      }
    }
  }

  function drain(timeout: string) {
    const { kubeconfig } = controlPlane;
    const args = ["drain", NODE, "--delete-emptydir-data", "--ignore-daemonsets", `--timeout=${timeout}`];
    return new Promise<{ status: number | null; output: string }>((resolve) => {
      const kubectl = spawn(requirePart("kubectl"), ["--kubeconfig", kubeconfig, ...args]);
      let output = "";
      for (const stream of [kubectl.stdout, kubectl.stderr]) {
        stream.on("data", (piece) => {
          output += piece;
        });
      }
      kubectl.on("close", (status) => resolve({ status, output }));
    });
  }

  it("is refused for as long as one waits under Kubernetes' own default", async () => {
    await controlPlane.client.patch(budget, { spec: { unhealthyPodEvictionPolicy: "IfHealthyBudget" } });
    const { status, output } = await drain("12s");
    expect(output).toContain("Cannot evict pod as it would violate the pod's disruption budget");
    expect(status).not.toBe(0);
  });

  it("ends under the rendered budget", async () => {
    const [before] = await pods();
    await controlPlane.client.apply(budget);
    const { status, output } = await drain("60s");
    expect(status, output).toBe(0);
    expect((await pods()).map(({ metadata }) => metadata.name)).not.toContain(before?.metadata.name);
  });
});
