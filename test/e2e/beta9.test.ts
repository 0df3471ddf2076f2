import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { installChartCrds } from "../../rehearsal/cluster/chart-crds";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { kindsOf, recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../rehearsal/cluster/wait";
import { deployBeta9 } from "../components/beta9/fixture";

interface Toleration {
  readonly key: string;
  readonly operator: string;
  readonly value?: string;
  readonly effect: string;
}

/** Pod as Beta9's gateway makes them in its Jobs: privileged, with host paths, without tolerations. */
function workerPod(namespace: string, labels: Readonly<Record<string, string>>, spec: object = {}): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "worker", namespace, labels },
    spec: {
      containers: [
        {
          name: "worker",
          image: "public.ecr.aws/n4e0e1y0/beta9-worker:0.1.729",
          securityContext: { privileged: true },
          resources: { limits: { "nvidia.com/gpu": "1" } },
        },
      ],
      volumes: [{ name: "cache", hostPath: { path: "/var/lib/beta9/cache" } }],
      ...spec,
    },
  };
}

const WORKER = { "run.beam.cloud/role": "worker", "run.beam.cloud/worker-pool-name": "vision" };
const ADDED = [
  { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" },
  { key: "dedicated", operator: "Equal", value: "inference", effect: "NoSchedule" },
];

describe("Beta9 on a real API server", () => {
  let controlPlane: ControlPlane | undefined;
  const client = () => {
    if (controlPlane === undefined) {
      throw new Error("the control plane did not start");
    }
    return controlPlane.client;
  };

  /** Tolerations that the server would give the pod, besides those that every pod gets for lost nodes. */
  async function tolerationsOf(pod: KubernetesObject): Promise<Toleration[]> {
    const { object } = await client().apply(pod, { dryRun: true });
    const { tolerations = [] } = object.spec as { readonly tolerations?: readonly Toleration[] };
    return tolerations.filter(({ key }) => !key.startsWith("node.kubernetes.io/"));
  }

  beforeAll(async () => {
    const [plane, { recording }] = await Promise.all([ControlPlane.start({ controllers: true }), deployBeta9()]);
    controlPlane = plane;
    const objects = recordedObjects(recording.resources);
    await installChartCrds(plane.client, "cert-manager", kindsOf(objects));
    const namespaces = objects.filter(({ kind }) => kind === "Namespace");
    const others = ["model-store", "elsewhere"].map((name) => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name },
    }));
    for (const namespace of [...namespaces, ...others]) {
      await plane.client.apply(namespace);
    }
    for (const object of objects.filter(({ kind }) => kind !== "Namespace")) {
      expect((await plane.client.apply(object)).warnings).toEqual([]);
    }
    await Promise.all(
      ["beta9", "elsewhere"].map((namespace) =>
        waitFor(`the default account of ${namespace}`, () =>
          plane.client.get({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace } }),
        ),
      ),
    );
    // The server takes a moment to compile a new policy.
    await waitFor("the admission policy", async () =>
      (await tolerationsOf(workerPod("beta9", WORKER))).length > 0 ? true : undefined,
    );
  });
  afterAll(() => controlPlane?.stop());

  it("gives a worker the tolerations of the GPU pools", async () => {
    expect(await tolerationsOf(workerPod("beta9", WORKER))).toEqual(ADDED);
  });

  it("keeps the tolerations that a worker has", async () => {
    const own = { key: "example.com/spot", operator: "Exists", effect: "NoSchedule" };
    expect(await tolerationsOf(workerPod("beta9", WORKER, { tolerations: [own] }))).toEqual([own, ...ADDED]);
  });

  it("leaves other pods alone, in its namespace and in others", async () => {
    expect(await tolerationsOf(workerPod("beta9", { app: "gateway" }))).toEqual([]);
    expect(await tolerationsOf(workerPod("elsewhere", WORKER))).toEqual([]);
  });
});
