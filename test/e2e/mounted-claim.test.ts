/** A model on a volume claim: its pods wait for the claim, which the real controllers bind to a volume that is there. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { nodesOf, runNodes } from "../../rehearsal/cluster/existing-parts";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { userClaimsOf, volumeAndClaim } from "../../rehearsal/cluster/user-claims";
import { waitFor } from "../../rehearsal/cluster/wait";
import { changedRun } from "../stacks/run";

const environment = {
  stage: "development",
  cluster: { kind: "local" },
  pools: { gpu: { node: { card: "a100-80gb", gpuCount: 1, vcpus: 32, memoryGiB: 256 } } },
  models: { chat: { model: "llama-3.1-8b-instruct", source: "pvc://weights/llama/v3", concurrency: 2 } },
  gateway: { hostname: "inference.example.internal", exposure: "ClusterIP", tls: { kind: "self-signed" } },
  observability: { alerts: "none" },
};

const NAMESPACE = "model-chat";

interface Placed {
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly message?: string }[] };
}

describe("a model on a volume claim, on a real control plane", () => {
  let plane: ControlPlane;
  let objects: readonly KubernetesObject[];

  beforeAll(async () => {
    const [started, { plan, resources }] = await Promise.all([
      ControlPlane.start({ controllers: true }),
      changedRun("dev", environment),
    ]);
    plane = started;
    objects = recordedObjects(resources);
    await runNodes(
      plane,
      nodesOf(plan, () => 1),
    );
    const own = objects.filter(({ kind, metadata }) => kind === "PriorityClass" || metadata.namespace === NAMESPACE);
    const namespaces = objects.filter(({ kind, metadata }) => kind === "Namespace" && metadata.name === NAMESPACE);
    const builtIn = own.filter(({ apiVersion }) => !apiVersion.includes(".") || apiVersion.includes("k8s.io"));
    for (const object of [...namespaces, ...builtIn.filter(({ kind }) => kind !== "Deployment")]) {
      await plane.client.apply(object);
    }
    await plane.client.apply(deployment());
  });
  afterAll(() => plane?.stop());

  it("waits, and says for what, until the claim is there; then it is placed, and the claim is bound", async () => {
    await waitFor("the scheduler to miss the claim", async () => {
      const messages = (await pods()).flatMap(({ status }) => status.conditions?.map(({ message }) => message) ?? []);
      return messages.some((text) => text?.includes('persistentvolumeclaim "weights" not found')) || undefined;
    });
    const claims = userClaimsOf(objects);
    expect(claims).toEqual([{ name: "weights", namespace: NAMESPACE }]);
    for (const object of claims.flatMap(volumeAndClaim)) {
      await plane.client.create(object);
    }
    await waitFor("the pod to be placed", async () =>
      (await pods()).every(({ spec }) => spec.nodeName !== undefined) ? true : undefined,
    );
    const [claim] = await plane.client.list("v1", "PersistentVolumeClaim");
    expect(claim).toMatchObject({ metadata: { namespace: NAMESPACE }, status: { phase: "Bound" } });
  });

  function deployment(): KubernetesObject {
    const found = objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.namespace === NAMESPACE);
    return found ?? expect.fail("the model has no Deployment");
  }

  async function pods(): Promise<readonly Placed[]> {
    const all = await plane.client.list("v1", "Pod");
    const own = all.filter(({ metadata }) => metadata.namespace === NAMESPACE) as unknown as readonly Placed[];
    return own.length > 0 ? own : [{ spec: {}, status: {} }];
  }
});
