/**
 * Replicas that span nodes, on the RDMA network of these: the real group controller makes their pods, the real scheduler places
 * them on nodes with the devices and blocks of the plan, and real admission holds their namespaces to their Pod Security levels.
 */
import { describe, expect, it } from "vitest";
import { fabricOf, ncclEnvironment } from "../../catalog/fabrics";
import type { KubernetesObject } from "../../kubernetes/object";
import { applyPlatform, prepareCluster } from "../../rehearsal/bring-up";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { nodesOf } from "../../rehearsal/cluster/existing-parts";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../rehearsal/cluster/wait";
import { readState } from "../../rehearsal/cluster-state";
import { gateJobsOf, PlayedGates } from "../../rehearsal/fabric-gate";
import { changedRun } from "../stacks/run";
import { sharedBySuite } from "./shared-by-suite";

const BLOCK = "oci.oraclecloud.com/rdma.local_block_id";
const image = "ocid1.image.oc1.eu-frankfurt-1.ubuntu-hpc";
const NAMESPACES = ["model-devices", "model-hosts"];

interface Pod extends KubernetesObject {
  readonly spec: {
    readonly nodeName?: string;
    readonly hostNetwork?: boolean;
    readonly dnsPolicy: string;
    readonly containers: readonly {
      readonly resources: { readonly limits: Readonly<Record<string, string>> };
      readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
      readonly ports?: readonly { readonly hostPort?: number; readonly containerPort: number }[];
    }[];
  };
}

/** Two groups with devices of their own, and two more on the network of their nodes; the rest of the platform is left out. */
function environment() {
  const h100 = { shape: "BM.GPU.H100.8", availabilityDomains: [1], image };
  const model = { model: "llama-3.1-405b-instruct", contextTokens: 16_384, concurrency: 16 };
  const pool = (name: string, nodes: number, rdma: object) => ({
    ...h100,
    minNodes: nodes,
    maxNodes: nodes,
    dedicatedTo: [name],
    labels: { "example.com/rdma": name },
    rdma: { mode: "managed", ...rdma },
  });
  return changedRun("oci-h100", {
    pools: {
      system: { shape: "VM.Standard.E5.Flex", ocpus: 8, memoryGiB: 64, minNodes: 3 },
      devices: pool("devices", 2, {}),
      hosts: pool("hosts", 4, { access: "host-network", topologyLabel: BLOCK }),
    },
    models: { devices: model, hosts: { ...model, replicas: { min: 2, max: 2 } } },
    budget: { monthlyUsd: 1_000_000 },
  });
}

async function start() {
  const [plane, run] = await Promise.all([ControlPlane.start({ controllers: true }), environment()]);
  const objects = recordedObjects(run.resources).filter(
    ({ kind, metadata }) =>
      kind === "PriorityClass" ||
      NAMESPACES.includes(metadata.namespace ?? "") ||
      (kind === "Namespace" && NAMESPACES.includes(metadata.name)),
  );
  // As the fabric gate leaves them: of it nothing is here.
  const pools = run.plan.pools.map((pool) => ({ ...pool, startupTaints: [] }));
  await prepareCluster(plane, nodesOf({ ...run.plan, pools }), objects);
  const { refused } = await applyPlatform(plane.client, objects);
  return { plane, run, refused, stop: () => plane.stop() };
}

describe("groups on the RDMA network", { timeout: 180_000 }, () => {
  const cluster = sharedBySuite(start);
  const podsOf = async (namespace: string, wanted: number): Promise<readonly Pod[]> => {
    const { client } = cluster().plane;
    return waitFor(
      `${wanted} pods of ${namespace} on nodes`,
      async () => {
        const all = (await client.list("v1", "Pod")) as Pod[];
        const placed = all.filter(
          ({ metadata, spec }) => metadata.namespace === namespace && spec.nodeName !== undefined,
        );
        return placed.length === wanted ? placed : undefined;
      },
      60,
    );
  };
  const fabric = fabricOf("BM.GPU.H100.8");
  const variables = async (namespace: string) => {
    const maps = await cluster().plane.client.list("v1", "ConfigMap");
    return maps.find(({ metadata }) => metadata.namespace === namespace && metadata.name === "nccl")?.data;
  };

  it("are accepted as they are", () => {
    expect(cluster().refused).toEqual([]);
  });

  it("get all 16 virtual functions of their nodes, 16 interfaces, and NCCL's variables for these", async () => {
    const pods = await podsOf("model-devices", 2);
    expect(pods.map(({ spec }) => spec.nodeName).sort()).toEqual(["devices-0", "devices-1"]);
    for (const { metadata, spec } of pods) {
      expect(spec.containers[0]?.resources.limits).toMatchObject({ "nvidia.com/gpu": "8", "nvidia.com/rdma-vf": "16" });
      expect(metadata.annotations?.["k8s.v1.cni.cncf.io/networks"]?.split(",")).toEqual(
        Array(16).fill("default/rdma-vf"),
      );
      expect(spec.containers[0]?.envFrom).toEqual([{ configMapRef: { name: "nccl" } }]);
      expect(spec.hostNetwork).toBeUndefined();
    }
    expect(await variables("model-devices")).toEqual(fabric && ncclEnvironment(fabric, "virtual-functions"));
  });

  it("are each in a block of the network of their own, on the ports of nodes of their own", async () => {
    const pods = await podsOf("model-hosts", 4);
    expect(pods.map(({ spec }) => spec.nodeName).sort()).toEqual(["hosts-0", "hosts-1", "hosts-2", "hosts-3"]);
    const nodes = await cluster().plane.client.list("v1", "Node");
    const blockOf = (name?: string) => nodes.find(({ metadata }) => metadata.name === name)?.metadata.labels?.[BLOCK];
    const blocks = ["0", "1"].map((index) => {
      const group = pods.filter(
        ({ metadata }) => metadata.labels?.["leaderworkerset.sigs.k8s.io/group-index"] === index,
      );
      return [...new Set(group.map(({ spec }) => blockOf(spec.nodeName)))];
    });
    expect(blocks.map((each) => each.length)).toEqual([1, 1]);
    expect(blocks.flat().sort()).toEqual(["hosts-block-0", "hosts-block-1"]);
    for (const { spec } of pods) {
      expect(spec).toMatchObject({ hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" });
      expect(spec.containers[0]?.resources.limits).not.toHaveProperty("nvidia.com/rdma-vf");
      // The API server itself makes a pod's ports those of its node, and the scheduler keeps two of them apart.
      expect(spec.containers[0]?.ports).toContainEqual(expect.objectContaining({ hostPort: 8000 }));
    }
    expect(await variables("model-hosts")).toEqual(fabric && ncclEnvironment(fabric, "host-network"));
  });
});

describe("a group whose fabric gate fails", { timeout: 180_000 }, () => {
  it("stays Pending for a taint of its nodes, and the gate's Job failed", async () => {
    const run = await changedRun("oci-h100", {});
    const homes = ["fabric-gate", "model-llama-405b"];
    const objects = recordedObjects(run.resources).filter(
      ({ kind, metadata }) =>
        kind === "PriorityClass" || homes.includes(metadata.namespace ?? "") || homes.includes(metadata.name),
    );
    const plane = await ControlPlane.start({ controllers: true });
    const gates = new PlayedGates(plane.client, gateJobsOf(objects, run.plan), run.plan);
    try {
      const nodes = nodesOf(run.plan, ({ minNodes }) => minNodes);
      await prepareCluster(plane, nodes, objects, { "app.kubernetes.io/name": "fabric-certifier" });
      await applyPlatform(plane.client, objects);
      const certifier = await waitFor("the certifier's end", async () => {
        const { pods } = await readState(plane.client);
        return pods.find(({ namespace, finished }) => namespace === "fabric-gate" && finished);
      });
      const leader = await waitFor("the leader's wait", async () => {
        const { pods } = await readState(plane.client);
        return pods.find(({ namespace, unschedulable }) => namespace === "model-llama-405b" && unschedulable);
      });
      expect(leader.waitsFor).toMatch(/^0\/6 nodes are available: 2 node\(s\) had untolerated taint/);
      expect((await readState(plane.client)).completedJobs).toEqual(new Set());
      expect(certifier.name).toMatch(/^certify-h100-/);
    } finally {
      await gates.stop();
      await plane.stop();
    }
  });
});
