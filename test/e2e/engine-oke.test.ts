import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { requirePart } from "../../rehearsal/parts/find";
import { GuardedPods, LEAST } from "./cloud/guarded-pods";
import { type Operation, operation } from "./engine/operations";
import { MADE_WITH } from "./engine/providers/cloud/nodes";
import { TestBed } from "./engine/test-bed";
import { ociCommandFolder } from "./oke/oci-command";
import {
  CLUSTER,
  CLUSTER_NETWORK,
  clusterSection,
  INSTANCE_POOL,
  KEPT,
  NODE_POOL,
  poolsSection,
  type SelfManagedPools,
  SYSTEM_POOL,
  type SystemPool,
  selfManagedPools,
} from "./oke/settings";
import { sharedBySuite } from "./shared-by-suite";

const OLD_SHAPE = "VM.Standard.E4.Flex";
const NEW_SHAPE = "VM.Standard.E5.Flex";
const OLD_RDMA_SHAPE = "BM.GPU.A100-v2.8";
const NEW_RDMA_SHAPE = "BM.GPU.H100.8";
const IMAGE = "ocid1.image.oc1.eu-frankfurt-1.machine-image";
const OTHER_IMAGE = "ocid1.image.oc1.eu-frankfurt-1.another-machine-image";
/** Room for machines with an RDMA network. */
const BUDGET = { "inference-stacks:budget": { value: JSON.stringify({ monthlyUsd: 1_000_000 }) } };
const OTHER_KEY = "ocid1.key.oc1.eu-frankfurt-1.your-vault.your-key";

describe("a cluster of our own in Oracle Cloud, on the real engine", { timeout: 300_000 }, () => {
  const bed = sharedBySuite(() => TestBed.start("oci-a10", { ...clusterSection(), ...poolsSection(), ...BUDGET }));
  const up = (): Promise<Operation> => operation((onEvent) => bed().stack.up({ onEvent }));
  /** What the system pool is now, beside what it began as. */
  let system: SystemPool = {};
  const upWith = async (changes: SystemPool): Promise<Operation> => {
    system = { ...system, ...changes };
    await bed().stack.setAllConfig(poolsSection(system));
    return up();
  };
  const upWithMachines = async (pools: SelfManagedPools): Promise<Operation> => {
    await bed().stack.setAllConfig(poolsSection(system, selfManagedPools(pools)));
    return up();
  };
  /** Nodes by a label of their own. */
  const machines = async (what: string): Promise<KubernetesObject[]> => {
    const nodes = await bed().plane.client.list("v1", "Node");
    return nodes.filter(({ metadata }) => metadata.labels?.[`example.com/${what}`] !== undefined);
  };
  const nodesOf = async (shape: string): Promise<KubernetesObject[]> => {
    const nodes = await bed().plane.client.list("v1", "Node");
    return nodes.filter(({ metadata }) => metadata.labels?.["node.kubernetes.io/instance-type"] === shape);
  };
  const namesOf = (nodes: readonly KubernetesObject[]): string[] => nodes.map(({ metadata }) => metadata.name);
  /** Runs a change while pods of the real control plane live on the nodes, and says what happened to both. */
  const watched = async (change: () => Promise<Operation>) => {
    const pods = await GuardedPods.start(bed().plane.client);
    const since = bed().cloud.events().length;
    const { steps } = await change();
    const events = bed().cloud.events().slice(since);
    return {
      ...(await pods.end()),
      steps,
      ofNodes: events.flatMap(({ event }) => (event.startsWith("node ") ? [event] : [])),
    };
  };
  const kubeconfig = async (): Promise<string> => {
    const { cluster } = await bed().outputs();
    expect(JSON.stringify(await bed().exportEncrypted())).not.toContain("generate-token");
    const { kubeconfig } = (cluster?.value ?? {}) as { readonly kubeconfig?: string };
    return kubeconfig ?? "";
  };

  it("is made in one go, each resource after what it needs", async () => {
    const { changes } = await up();
    expect(Object.keys(changes)).toEqual(["create"]);
    expect(bed().cloud.of(CLUSTER)).toHaveLength(1);
    expect(bed().cloud.of(NODE_POOL)).toHaveLength(3);
    expect(await nodesOf(OLD_SHAPE)).toHaveLength(2);
  });

  it("changes nothing when it runs again", async () => {
    expect(Object.keys((await up()).changes)).toEqual(["same"]);
  });

  it("is reached by kubectl with its kubeconfig and Oracle's command line, and not without", async () => {
    const { plane } = bed();
    const folder = join(plane.folder, "operator");
    mkdirSync(folder);
    writeFileSync(join(folder, "kubeconfig"), await kubeconfig());
    const kubectl = (path: string) =>
      promisify(execFile)(requirePart("kubectl"), ["get", "nodes", "-o", "name"], {
        env: { HOME: folder, KUBECONFIG: join(folder, "kubeconfig"), PATH: path },
      });
    const { stdout } = await kubectl(`${ociCommandFolder(plane)}:/usr/bin:/bin`);
    expect(stdout.trim().split("\n")).toHaveLength((await plane.client.list("v1", "Node")).length);
    await expect(kubectl("/usr/bin:/bin")).rejects.toThrow(/exec: executable oci not found/);
  });

  it("gets another node in place", async () => {
    expect((await upWith({ minNodes: 3, maxNodes: 3 })).steps).toEqual([`update NodePool ${SYSTEM_POOL}`]);
    expect(await nodesOf(OLD_SHAPE)).toHaveLength(3);
  });

  it("gets nodes of another shape before the old ones go, and pods move meanwhile", async () => {
    const { steps, ofNodes, fewestReady, nodes } = await watched(() => upWith({ shape: NEW_SHAPE }));
    expect(steps).toEqual([`replace NodePool ${SYSTEM_POOL}`]);
    // All new ones are there before the first old one is so much as closed.
    expect(ofNodes.lastIndexOf("node added")).toBeLessThan(ofNodes.indexOf("node cordoned"));
    expect(ofNodes.filter((event) => event === "node gone")).toHaveLength(3);
    expect(await nodesOf(OLD_SHAPE)).toEqual([]);
    expect(namesOf(await nodesOf(NEW_SHAPE))).toEqual(expect.arrayContaining([...nodes]));
    expect(fewestReady).toBeGreaterThanOrEqual(LEAST);
  });

  it("gets another image in place, node by node", async () => {
    const before = await nodesOf(NEW_SHAPE);
    const image = "ocid1.image.oc1.eu-frankfurt-1.another-node-image";
    const { steps, ofNodes, fewestReady } = await watched(() => upWith({ image }));
    expect(steps).toEqual([`update NodePool ${SYSTEM_POOL}`]);
    const oneByOne = before.flatMap(() => ["node added", "node cordoned", "node gone"]);
    expect(ofNodes).toEqual(oneByOne);
    expect(fewestReady).toBeGreaterThanOrEqual(LEAST);
    const after = await nodesOf(NEW_SHAPE);
    expect(namesOf(after).filter((name) => namesOf(before).includes(name))).toEqual([]);
    expect(after.filter(({ metadata }) => !metadata.annotations?.[MADE_WITH]?.includes(image))).toEqual([]);
  });

  it("gets machines that join by themselves: told where, and let in before they boot", async () => {
    const { steps } = await upWithMachines({ machines: 2, image: IMAGE, shape: OLD_RDMA_SHAPE });
    // Oracle's add-ons change with them: pods get the network's devices.
    expect(steps.filter((step) => !step.includes(" Addon "))).toEqual([
      "create ClusterNetwork cluster-self-managed-rdma",
      "create DynamicGroup cluster-self-managed-identity-machines",
      "create InstanceConfiguration cluster-self-managed-encrypted-machine",
      "create InstanceConfiguration cluster-self-managed-rdma-machine",
      "create InstancePool cluster-self-managed-encrypted",
      "create OkeSelfManagedNodes cluster-self-managed",
      "create Policy cluster-self-managed-identity-disks",
      "create Policy cluster-self-managed-identity-join",
    ]);
    expect(bed().cloud.of(CLUSTER_NETWORK)).toHaveLength(1);
    expect(bed().cloud.of(INSTANCE_POOL)).toHaveLength(1);
    // They are nodes: they knew the cluster, and a policy was there when they came.
    const [gpuNode] = await nodesOf(OLD_RDMA_SHAPE);
    expect(gpuNode?.spec).toMatchObject({
      taints: expect.arrayContaining([{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }]),
    });
    expect(gpuNode?.status).toMatchObject({ capacity: { "nvidia.com/gpu": "8", pods: "110" } });
    expect((await machines("memory")).map(({ metadata }) => metadata.annotations?.[MADE_WITH])).toEqual(
      Array.from({ length: 2 }, () => `VM.Standard.E4.Flex ${IMAGE} v1.34.1`),
    );
  });

  it("gets more of them in place, with another image for the new ones alone", async () => {
    const { steps } = await upWithMachines({ machines: 3, image: OTHER_IMAGE, shape: OLD_RDMA_SHAPE });
    expect([...steps].sort()).toEqual([
      "replace InstanceConfiguration cluster-self-managed-encrypted-machine",
      "replace InstanceConfiguration cluster-self-managed-rdma-machine",
      "update ClusterNetwork cluster-self-managed-rdma",
      "update InstancePool cluster-self-managed-encrypted",
    ]);
    for (const nodes of [await nodesOf(OLD_RDMA_SHAPE), await machines("memory")]) {
      const images = nodes.map(({ metadata }) => metadata.annotations?.[MADE_WITH]?.split(" ")[1]);
      expect(images.sort()).toEqual([OTHER_IMAGE, IMAGE, IMAGE].sort());
    }
  });

  it("gets a cluster network of another shape before the old one goes, and leaves the other machines alone", async () => {
    const since = bed().cloud.events().length;
    const { steps } = await upWithMachines({ machines: 3, image: OTHER_IMAGE, shape: NEW_RDMA_SHAPE });
    expect([...steps].sort()).toEqual([
      "replace ClusterNetwork cluster-self-managed-rdma",
      "replace InstanceConfiguration cluster-self-managed-rdma-machine",
    ]);
    const events = bed().cloud.events().slice(since);
    const ofNodes = events.flatMap(({ event }) => (event.startsWith("node ") ? [event] : []));
    expect(ofNodes).toEqual([...Array(3).fill("node added"), ...Array(3).fill("node gone")]);
    expect(await nodesOf(OLD_RDMA_SHAPE)).toEqual([]);
    expect(await nodesOf(NEW_RDMA_SHAPE)).toHaveLength(3);
    expect(await machines("memory")).toHaveLength(3);
  });

  it("refuses another key for its secrets, which would make another cluster", async () => {
    const [cluster] = bed().cloud.of(CLUSTER);
    await bed().stack.setAllConfig(clusterSection({ encryptionKeyId: OTHER_KEY }));
    const since = bed().cloud.events().length;
    // An operator's `up` begins with the preview, and ends there.
    await expect(bed().stack.preview()).rejects.toThrow(/protect/);
    expect(made(since)).toEqual([]);
    await expect(up()).rejects.toThrow(/protect/);
    expect(bed().cloud.of(CLUSTER)).toEqual([cluster]);
    await bed().stack.setAllConfig(clusterSection());
    await up();
    expect(Object.keys((await up()).changes)).toEqual(["same"]);
  });

  it("is not destroyed while it is protected, and then leaves nothing but its keys", async () => {
    await expect(bed().stack.destroy()).rejects.toThrow(/protect/);
    expect(bed().cloud.of(CLUSTER)).toHaveLength(1);
    await bed().unprotect();
    await bed().stack.destroy();
    expect((await bed().stack.exportStack()).deployment.resources ?? []).toEqual([]);
    expect(
      new Set(
        bed()
          .cloud.all()
          .map(({ type }) => type),
      ),
    ).toEqual(new Set(KEPT));
    expect(await bed().plane.client.list("v1", "Node")).toEqual([]);
  });

  /** What was asked of the cloud since an event that changes it. */
  function made(since: number): string[] {
    const events = bed().cloud.events().slice(since);
    return events.filter(({ event }) => ["create", "update", "delete"].includes(event)).map(({ event }) => event);
  }
});
