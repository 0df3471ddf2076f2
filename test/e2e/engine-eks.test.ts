import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { requirePart } from "../../rehearsal/parts/find";
import { GuardedPods, LEAST } from "./cloud/guarded-pods";
import { awsCommandFolder } from "./eks/aws-command";
import { withChildProvider } from "./eks/child-provider";
import { ADDON, CLUSTER, clusterSection, KEPT, NODE_GROUP, poolsSection, type SystemPool } from "./eks/settings";
import { type Operation, operation } from "./engine/operations";
import { MADE_WITH } from "./engine/providers/cloud/nodes";
import { TestBed } from "./engine/test-bed";
import { sharedBySuite } from "./shared-by-suite";

const OLD_SHAPE = "m7i.2xlarge";
const NEW_SHAPE = "m7i.4xlarge";
const POOL = "inference-stacks.io/pool";
const SYSTEM = "cluster-node-groups-system";
const H100 = "cluster-node-groups-h100";
const OTHER_KEY = { encryptionKeyArn: "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab" };
const OTHER_SERVICES = { network: { services: "172.21.0.0/16" } };

describe("a cluster of our own in AWS, on the real engine", { timeout: 300_000 }, () => {
  const bed = sharedBySuite(() => TestBed.start("aws-prod", { ...clusterSection(), ...poolsSection() }));
  const up = (): Promise<Operation> => operation((onEvent) => bed().stack.up({ onEvent }));
  /** What the system pool is now, beside what it began as. */
  let system: SystemPool = {};
  const upWith = async (changes: SystemPool): Promise<Operation> => {
    system = { ...system, ...changes };
    await bed().stack.setAllConfig(poolsSection(system));
    return up();
  };
  const nodes = (): Promise<KubernetesObject[]> => bed().plane.client.list("v1", "Node");
  const namesOf = (all: readonly KubernetesObject[]): string[] => all.map(({ metadata }) => metadata.name);
  /** Nodes of a pool. */
  const nodesOf = async (pool: string): Promise<KubernetesObject[]> =>
    (await nodes()).filter(({ metadata }) => metadata.labels?.[POOL] === pool);
  /** What is in the cloud of a logical name. */
  const made = (name: string) => {
    const id = bed()
      .cloud.events()
      .findLast((event) => event.event === "created" && event.name === name)?.id;
    const found = bed().cloud.get(id ?? "");
    if (found === undefined) {
      throw new Error(`there is no ${name}`);
    }
    return found;
  };
  /** Runs a change while pods of the real control plane live on the nodes, and says what happened to both. */
  const watched = async (change: () => Promise<Operation>) => {
    const pods = await GuardedPods.start(bed().plane.client);
    const since = bed().cloud.events().length;
    const { steps } = await change();
    const events = bed().cloud.events().slice(since);
    const ofNodes = events.flatMap(({ event }) => (event.startsWith("node ") ? [event] : []));
    return { ...(await pods.end()), steps, ofNodes };
  };

  it("is made in one go, each resource after what it needs", async () => {
    const { changes } = await up();
    expect(Object.keys(changes)).toEqual(["create"]);
    expect(
      bed()
        .cloud.of(CLUSTER)
        .map(({ id }) => id),
    ).toEqual(["aws-prod"]);
    // Nodes are in the zones of their pools, and came after their network's add-ons and before those whose pods they run.
    const zonesOf = async (pool: string) =>
      (await nodesOf(pool)).map(({ metadata }) => metadata.labels?.["topology.kubernetes.io/zone"]).sort();
    expect(await zonesOf("system")).toEqual(["us-east-1a", "us-east-1b"]);
    expect(await zonesOf("h100")).toEqual(["us-east-1a", "us-east-1a"]);
    expect(await nodes()).toHaveLength(4);
    const order = bed()
      .cloud.events()
      .filter(({ event, subject }) => event === "created" && [ADDON, NODE_GROUP].includes(subject))
      .map(({ subject, inputs }) => (subject === NODE_GROUP ? "nodes" : String(inputs?.addonName)));
    expect(order.indexOf("vpc-cni")).toBeLessThan(order.indexOf("nodes"));
    expect(order.indexOf("coredns")).toBeGreaterThan(order.indexOf("nodes"));
  });

  it("changes nothing when it runs again", async () => {
    expect(Object.keys((await up()).changes)).toEqual(["same"]);
  });

  it("is adopted from a state that has the provider below the cluster, and nothing is made anew", async () => {
    const before = withChildProvider(await bed().exportEncrypted());
    expect(JSON.stringify(before)).toContain("EksCluster$pulumi:providers:aws::cluster-aws::");
    const since = bed().cloud.events().length;
    await bed().stack.importStack(before);
    expect((await operation((onEvent) => bed().stack.preview({ onEvent }))).steps).toEqual([]);
    expect(Object.keys((await up()).changes)).toEqual(["same"]);
    const touched = bed().cloud.events().slice(since);
    expect(touched.filter(({ event }) => event !== "invoke")).toEqual([]);
    expect(JSON.stringify(await bed().exportEncrypted())).not.toContain("EksCluster$pulumi:providers:aws");
  });

  it("is adopted while it changes, also where that update fails half way", async () => {
    await bed().stack.importStack(withChildProvider(await bed().exportEncrypted()));
    await bed().stack.setAllConfig(clusterSection(OTHER_KEY));
    await expect(up()).rejects.toThrow(/protect/);
    await bed().stack.setAllConfig(clusterSection());
    expect((await up()).steps.filter((step) => step.startsWith("replace"))).toEqual([]);
    expect(Object.keys((await up()).changes)).toEqual(["same"]);
  });

  it("is reached by kubectl with its kubeconfig and Amazon's command line, and not without", async () => {
    const { plane } = bed();
    const folder = join(plane.folder, "operator");
    mkdirSync(folder);
    expect(JSON.stringify(await bed().exportEncrypted())).not.toContain("get-token");
    const { cluster } = await bed().outputs();
    const { kubeconfig = "" } = (cluster?.value ?? {}) as { readonly kubeconfig?: string };
    writeFileSync(join(folder, "kubeconfig"), kubeconfig);
    const kubectl = (path: string) =>
      promisify(execFile)(requirePart("kubectl"), ["get", "nodes", "-o", "name"], {
        env: { HOME: folder, KUBECONFIG: join(folder, "kubeconfig"), PATH: path },
      });
    const { stdout } = await kubectl(`${awsCommandFolder(plane)}:/usr/bin:/bin`);
    expect(stdout.trim().split("\n")).toHaveLength((await nodes()).length);
    await expect(kubectl("/usr/bin:/bin")).rejects.toThrow(/exec: executable aws not found/);
  });

  it("gets another node in place", async () => {
    expect((await upWith({ minNodes: 3, maxNodes: 3 })).steps).toEqual([`update NodeGroup ${SYSTEM}`]);
    expect(await nodesOf("system")).toHaveLength(3);
  });

  it("leaves alone how many nodes of a capacity block are left, which EKS takes away before its end", async () => {
    const block = made(H100);
    const scalingConfig = { ...(block.inputs.scalingConfig as object), desiredSize: 0 };
    bed().cloud.put({ ...block, inputs: { ...block.inputs, scalingConfig } });
    await bed().stack.refresh();
    expect((await up()).steps).toEqual([]);
    expect(made(H100).inputs.scalingConfig).toEqual(scalingConfig);
  });

  it("gets another template in place, node by node, and pods move meanwhile", async () => {
    const before = await nodesOf("system");
    const { steps, ofNodes, fewestReady } = await watched(() => upWith({ bootVolumeGiB: 200 }));
    expect(steps).toEqual([`update LaunchTemplate ${SYSTEM}-machine`, `update NodeGroup ${SYSTEM}`]);
    expect(ofNodes).toEqual(before.flatMap(() => ["node added", "node cordoned", "node gone"]));
    expect(fewestReady).toBeGreaterThanOrEqual(LEAST);
    const after = await nodesOf("system");
    expect(namesOf(after).filter((name) => namesOf(before).includes(name))).toEqual([]);
    expect(after.map(({ metadata }) => metadata.annotations?.[MADE_WITH])).toEqual(
      after.map(() => expect.stringMatching(new RegExp(`^${OLD_SHAPE} 2 `))),
    );
  });

  it("gets nodes of another shape before the old ones go", async () => {
    const { steps, ofNodes, fewestReady } = await watched(() => upWith({ shape: NEW_SHAPE }));
    expect(steps).toEqual([`replace NodeGroup ${SYSTEM}`]);
    expect(ofNodes.lastIndexOf("node added")).toBeLessThan(ofNodes.indexOf("node cordoned"));
    expect(ofNodes.filter((event) => event === "node gone")).toHaveLength(3);
    expect(fewestReady).toBeGreaterThanOrEqual(LEAST);
    const shapes = (await nodesOf("system")).map(
      ({ metadata }) => metadata.labels?.["node.kubernetes.io/instance-type"],
    );
    expect(new Set(shapes)).toEqual(new Set([NEW_SHAPE]));
  });

  it.each([
    ["other addresses of Services", OTHER_SERVICES],
    ["another key for its secrets", OTHER_KEY],
  ])("refuses %s, which would make another cluster", async (_, change) => {
    const [cluster] = bed().cloud.of(CLUSTER);
    await bed().stack.setAllConfig(clusterSection(change));
    // An operator's `up` begins with the preview, and ends there.
    await expect(bed().stack.preview()).rejects.toThrow(/protect/);
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
    const left = bed().cloud.all();
    expect(new Set(left.map(({ type }) => type))).toEqual(new Set(KEPT));
    expect(await nodes()).toEqual([]);
  });
});
