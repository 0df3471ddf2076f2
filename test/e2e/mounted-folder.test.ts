/** A model in a folder of the node: the real controllers bind its claim to the rendered volume, and the scheduler places its pods. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { nodesOf, runNodes } from "../../rehearsal/cluster/existing-parts";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../rehearsal/cluster/wait";
import { changedRun } from "../stacks/run";

const environment = {
  stage: "development",
  cluster: { kind: "local" },
  pools: { gpu: { node: { card: "a100-80gb", gpuCount: 1, vcpus: 32, memoryGiB: 256 } } },
  models: { chat: { model: "llama-3.1-8b-instruct", source: "file:///srv/models/llama", concurrency: 2 } },
  gateway: { hostname: "inference.example.internal", exposure: "ClusterIP", tls: { kind: "self-signed" } },
  observability: { alerts: "none" },
};

const NAMESPACE = "model-chat";

interface Placed {
  readonly spec: { readonly nodeName?: string };
}

describe("a model in a folder of the node, on a real control plane", () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    const [started, { plan, resources }] = await Promise.all([
      ControlPlane.start({ controllers: true }),
      changedRun("dev", environment),
    ]);
    plane = started;
    await runNodes(
      plane,
      nodesOf(plan, () => 1),
    );
    const objects = recordedObjects(resources);
    const isOf = ({ kind, metadata }: KubernetesObject) =>
      ["PriorityClass", "PersistentVolume"].includes(kind) ||
      (kind === "Namespace" && metadata.name === NAMESPACE) ||
      (metadata.namespace === NAMESPACE && ["PersistentVolumeClaim", "ServiceAccount", "ConfigMap"].includes(kind));
    const deployment = objects.filter(
      ({ kind, metadata }) => kind === "Deployment" && metadata.namespace === NAMESPACE,
    );
    const first = objects.filter(({ kind }) => kind === "Namespace").filter(isOf);
    for (const object of [...first, ...objects.filter(isOf), ...deployment]) {
      await plane.client.apply(object);
    }
  });
  afterAll(() => plane?.stop());

  it("is placed on a node, with its claim bound to the folder's volume alone", async () => {
    await waitFor("the pod to be placed", async () => {
      const pods = (await plane.client.list("v1", "Pod")) as unknown as readonly Placed[];
      return pods.length > 0 && pods.every(({ spec }) => spec.nodeName !== undefined) ? true : undefined;
    });
    const claims = await plane.client.list("v1", "PersistentVolumeClaim");
    const volumes = await plane.client.list("v1", "PersistentVolume");
    expect(claims).toMatchObject([{ metadata: { namespace: NAMESPACE }, status: { phase: "Bound" } }]);
    expect(volumes).toMatchObject([
      {
        spec: { local: { path: "/srv/models/llama" }, claimRef: { name: claims[0]?.metadata.name } },
        status: { phase: "Bound" },
      },
    ]);
  });
});
