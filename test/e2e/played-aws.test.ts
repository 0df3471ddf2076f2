/** What the tests of EKS clusters rest on: that the played AWS refuses as AWS does, and that its Karpenter is one in what they look at. */
import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { messageOf } from "../../names/message-of";
import { installCrds } from "../../rehearsal/cluster/chart-crds";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { runNodes } from "../../rehearsal/cluster/existing-parts";
import { waitFor } from "../../rehearsal/cluster/wait";
import { CLUSTER, NODE_GROUP } from "./eks/settings";
import { KARPENTER_MACHINE, PlayedKarpenter } from "./engine/providers/aws-karpenter";
import { examineOrder } from "./engine/providers/aws-order";
import { alsoKnownAs, isOwnId, newId, outputsOf } from "./engine/providers/aws-resources";
import { CloudNodes } from "./engine/providers/cloud/nodes";
import { CloudStore } from "./engine/providers/cloud/store";
import { sharedBySuite } from "./shared-by-suite";

const CRDS = { module: "github.com/aws/karpenter-provider-aws", path: "pkg/apis/crds" };
const KINDS = new Set(["NodePool.karpenter.sh", "EC2NodeClass.karpenter.k8s.aws"]);
const DISCOVERY = { "karpenter.sh/discovery": "prod" };
const ROLE_ARN = "arn:aws:iam::111122223333:role/nodes";

/** A cluster with what Karpenter's nodes need, in a control plane of its own. */
class Stand {
  isInstalled = true;
  private constructor(
    readonly plane: ControlPlane,
    readonly store: CloudStore,
  ) {}

  static async start(): Promise<Stand> {
    const plane = await ControlPlane.start({ controllers: true });
    await installCrds(plane.client, CRDS, KINDS);
    await runNodes(plane, []);
    const store = new CloudStore(plane.folder);
    const stand = new Stand(plane, store);
    stand.put("aws:iam/role:Role", { name: "nodes" });
    stand.put("aws:eks/accessEntry:AccessEntry", { clusterName: "prod", principalArn: ROLE_ARN, type: "EC2_LINUX" });
    stand.put("aws:ec2/subnet:Subnet", { availabilityZone: "us-east-1a", tags: DISCOVERY });
    stand.put("aws:ec2/securityGroup:SecurityGroup", { tags: DISCOVERY });
    const nodes = new CloudNodes(plane.client, (event, subject) => store.record({ event, subject }));
    void new PlayedKarpenter(plane.client, nodes, store, async () => stand.isInstalled).play();
    return stand;
  }

  put(type: string, inputs: Readonly<Record<string, unknown>>): void {
    const id = newId(type, inputs);
    this.store.put({ id, type, inputs, outputs: outputsOf(type, inputs, id), ready: true });
  }

  nodes(): Promise<KubernetesObject[]> {
    return this.plane.client.list("v1", "Node");
  }

  async stop(): Promise<void> {
    await this.plane.stop();
  }
}

const NODE_CLASS: KubernetesObject = {
  apiVersion: "karpenter.k8s.aws/v1",
  kind: "EC2NodeClass",
  metadata: { name: "l4" },
  spec: {
    amiSelectorTerms: [{ alias: "al2023@v20260714" }],
    role: "nodes",
    subnetSelectorTerms: [{ tags: DISCOVERY }],
    securityGroupSelectorTerms: [{ tags: DISCOVERY }],
  },
};

const NODE_POOL: KubernetesObject = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "l4" },
  spec: {
    limits: { "nvidia.com/gpu": 2 },
    template: {
      metadata: { labels: { "inference-stacks.io/pool": "l4" } },
      spec: {
        nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "l4" },
        requirements: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["g6.2xlarge"] }],
        taints: [{ key: "nvidia.com/gpu", effect: "NoSchedule" }],
        startupTaints: [{ key: "example.com/starting", effect: "NoSchedule" }],
      },
    },
  },
};

/** Pods of one GPU each. */
function gpuPods(replicas: number): KubernetesObject {
  const labels = { app: "gpu" };
  const toleration = { operator: "Exists" };
  const resources = { limits: { "nvidia.com/gpu": "1" } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "gpu", namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: { "node.kubernetes.io/instance-type": "g6.2xlarge" },
          tolerations: [toleration],
          containers: [{ name: "pause", image: "registry.k8s.io/pause:3.10", resources }],
        },
      },
    },
  };
}

describe("the played Karpenter", { timeout: 120_000 }, () => {
  const stand = sharedBySuite(() => Stand.start());
  const phases = async () =>
    (await stand().plane.client.list("v1", "Pod")).map(
      ({ status }) => (status as { readonly phase?: string } | undefined)?.phase,
    );

  it("makes nothing while its release is not there", async () => {
    const { client } = stand().plane;
    stand().isInstalled = false;
    for (const object of [NODE_CLASS, NODE_POOL, gpuPods(3)]) {
      await client.create(object);
    }
    await waitFor("pods that find no room", async () => {
      const found = await phases();
      return found.length === 3 && found.every((phase) => phase === "Pending") ? true : undefined;
    });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await stand().nodes()).toEqual([]);
  });

  it("makes a node for each pod that finds no room, as the NodePool says and up to its limit", async () => {
    stand().isInstalled = true;
    const nodes = await waitFor("two nodes", async () => {
      const all = await stand().nodes();
      return all.length === 2 ? all : undefined;
    });
    for (const { metadata, spec } of nodes) {
      expect(metadata.labels).toMatchObject({
        "inference-stacks.io/pool": "l4",
        "karpenter.sh/nodepool": "l4",
        "node.kubernetes.io/instance-type": "g6.2xlarge",
        "topology.kubernetes.io/zone": "us-east-1a",
      });
      expect(spec).toMatchObject({
        taints: expect.arrayContaining([
          { key: "nvidia.com/gpu", effect: "NoSchedule" },
          { key: "example.com/starting", effect: "NoSchedule" },
        ]),
      });
    }
    await waitFor("two pods that run", async () => {
      return (await phases()).filter((phase) => phase === "Running").length === 2 ? true : undefined;
    });
    await new Promise((resolve) => setTimeout(resolve, 3000));
    // The limit is two GPUs.
    expect(await stand().nodes()).toHaveLength(2);
    expect((await phases()).filter((phase) => phase === "Pending")).toHaveLength(1);
  });

  it("drains a NodePool's nodes when it goes, and lets its class go after them alone", async () => {
    const { client } = stand().plane;
    await client.delete(gpuPods(3));
    await client.delete(NODE_CLASS);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await client.get(NODE_CLASS)).toBeDefined();
    await client.delete(NODE_POOL);
    await waitFor("the class to be gone", async () => ((await client.get(NODE_CLASS)) ? undefined : true));
    expect(await stand().nodes()).toEqual([]);
    const events = () =>
      stand()
        .store.events()
        .filter(({ event }) => ["node gone", "deleted"].includes(event))
        .map(({ event, subject }) => (event === "node gone" ? event : `${event} ${subject}`));
    const machine = ["node gone", `deleted ${KARPENTER_MACHINE}`];
    // The API server has forgotten the class before Karpenter hears of it.
    await expect.poll(events, { timeout: 10_000 }).toEqual([...machine, ...machine, "deleted EC2NodeClass"]);
  });

  it("makes none where no subnet, group or role is found", async () => {
    const { client } = stand().plane;
    const stranger = { ...(NODE_CLASS.spec as object), role: "strangers" };
    await client.create({ ...NODE_CLASS, spec: stranger } as KubernetesObject);
    await client.create(NODE_POOL);
    await client.create(gpuPods(1));
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(await stand().nodes()).toEqual([]);
  });
});

describe("the played AWS", () => {
  const stand = sharedBySuite(() => Stand.start());
  const make = (type: string, inputs: Readonly<Record<string, unknown>>) => {
    examineOrder(stand().store, type, inputs);
    stand().put(type, inputs);
  };
  const attach = (policy: string) =>
    make("aws:iam/rolePolicyAttachment:RolePolicyAttachment", {
      role: "nodes",
      policyArn: `arn:aws:iam::aws:policy/${policy}`,
    });
  const cluster = { name: "prod", roleArn: ROLE_ARN, bootstrapSelfManagedAddons: false };
  const group = { clusterName: "prod", nodeGroupName: "system", nodeRoleArn: ROLE_ARN };
  const addon = (addonName: string) => ({ clusterName: "prod", addonName });

  it("makes nothing before what it needs", () => {
    const refusals: readonly [() => void, RegExp][] = [
      [() => make(NODE_GROUP, group), /No cluster found for name: prod/],
      [() => make(CLUSTER, cluster), /does not have AmazonEKSClusterPolicy/],
      [() => attach("AmazonEKSClusterPolicy"), /^$/],
      [() => make(CLUSTER, cluster), /^$/],
      [() => make(NODE_GROUP, group), /does not have AmazonEKSWorkerNodePolicy/],
      [() => attach("AmazonEKSWorkerNodePolicy"), /^$/],
      [() => make(NODE_GROUP, group), /failed to join.*no vpc-cni, kube-proxy/],
      [() => make("aws:eks/addon:Addon", addon("vpc-cni")), /^$/],
      [() => make("aws:eks/addon:Addon", addon("kube-proxy")), /^$/],
      [() => make("aws:eks/addon:Addon", addon("coredns")), /DEGRADED/],
      [() => make(NODE_GROUP, group), /^$/],
      [() => make("aws:eks/addon:Addon", addon("coredns")), /^$/],
    ];
    for (const [step, message] of refusals) {
      expect(said(step)).toMatch(message);
    }
  });

  it("lets in by policy only whom it knows", () => {
    const association = { clusterName: "prod", principalArn: "arn:aws:iam::111122223333:role/x", policyArn: "p" };
    const type = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation";
    expect(said(() => make(type, association))).toMatch(/principalArn could not be found/);
  });

  it("knows its own ids, by all their names, and takes none of anybody else's for one", () => {
    const id = newId("aws:kms/key:Key", {});
    const outputs = outputsOf("aws:kms/key:Key", {}, id);
    expect(isOwnId(id)).toBe(true);
    expect(alsoKnownAs({ id, type: "aws:kms/key:Key", inputs: {}, outputs, ready: true })).toEqual([outputs.arn]);
    expect(isOwnId(String(outputs.arn))).toBe(true);
    for (const other of [ROLE_ARN, "cr-0123456789abcdef0", "prod", "us-east-1a"]) {
      expect(isOwnId(other)).toBe(false);
    }
  });
});

function said(step: () => void): string {
  try {
    step();
    return "";
  } catch (error) {
    return messageOf(error);
  }
}
