import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import type { PoolPlan } from "../../planner/types";
import { autoscalerFact, autoscalerFindings } from "../../rehearsal/autoscaler-facts";
import {
  karpenterSettings,
  type MadeNode,
  madeNodes,
  type NodePool,
  nodePoolsOf,
  onSimulatedCloud,
  planPoolOf,
  refusedPods,
  shortRefusal,
  zonesOf,
} from "../../rehearsal/autoscaler-nodes";
import type { AutoscalerFact } from "../../rehearsal/report/schema";
import { terminalReport } from "../../rehearsal/report/terminal";
import { poolPlan, shape } from "../report/html.fixture";
import { facts } from "./fixture";

const nodePool: NodePool = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "gpus" },
  spec: {
    disruption: { consolidateAfter: "10m" },
    template: {
      metadata: { labels: { "inference-stacks.io/pool": "h100" } },
      spec: {
        nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "gpus-class" },
        requirements: [
          { key: "karpenter.sh/capacity-type", values: ["on-demand"] },
          { key: "topology.kubernetes.io/zone", values: ["us-east-1a", "us-east-1b"] },
        ],
      },
    },
  },
};
const nodeClass: KubernetesObject = {
  apiVersion: "karpenter.k8s.aws/v1",
  kind: "EC2NodeClass",
  metadata: { name: "gpus-class" },
};

function node(name: string, labels: Readonly<Record<string, string>>): KubernetesObject {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
}

describe("objects on Karpenter's simulated cloud", () => {
  it("have its class in place of the one of AWS, by the same name, and nothing else", () => {
    const [simulated, ...rest] = onSimulatedCloud([nodeClass, nodePool]);
    expect(simulated).toMatchObject({ kind: "KWOKNodeClass", metadata: { name: "gpus-class" } });
    const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "gpus-class" };
    const { template } = nodePool.spec;
    expect(rest).toEqual([
      nodeClass,
      { ...nodePool, spec: { ...nodePool.spec, template: { ...template, spec: { ...template.spec, nodeClassRef } } } },
    ]);
  });

  it("are NodePools of Karpenter alone, each of a pool of the plan and in its zones", () => {
    const other = { ...nodePool, apiVersion: "eks.amazonaws.com/v1" };
    expect(nodePoolsOf([nodeClass, other, nodePool])).toEqual([nodePool]);
    expect(planPoolOf(nodePool)).toBe("h100");
    expect(zonesOf([nodePool, nodePool])).toEqual(["us-east-1a", "us-east-1b"]);
  });

  it("say with their chart's values how Karpenter takes what pods merely prefer", () => {
    const type = "kubernetes:helm.sh/v3:Release";
    const release = (chart: string, values: object) => ({ type, inputs: { chart, values } });
    const settings = { preferencePolicy: "Ignore", clusterName: "aws-prod" };
    expect(
      karpenterSettings([
        release("oci://public.ecr.aws/karpenter/karpenter-crd", { settings: { preferencePolicy: "Respect" } }),
        release("oci://public.ecr.aws/karpenter/karpenter", { settings }),
      ]),
    ).toEqual({ PREFERENCE_POLICY: "Ignore" });
    expect(karpenterSettings([])).toEqual({});
  });
});

describe("nodes that Karpenter made", () => {
  it("are told by its label", () => {
    const labels = {
      "karpenter.sh/nodepool": "gpus",
      "karpenter.sh/capacity-type": "spot",
      "topology.kubernetes.io/zone": "us-east-1a",
      "node.kubernetes.io/instance-type": "p5.48xlarge",
    };
    expect(madeNodes([node("a", labels), node("system-0", { "kubernetes.io/os": "linux" })])).toEqual([
      { name: "a", nodePool: "gpus", shape: "p5.48xlarge", capacityType: "spot", zone: "us-east-1a" },
    ]);
  });

  it("are missing for reasons that it says itself, unlike the scheduler", () => {
    const event = (component: string, message: string): KubernetesObject => ({
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e" },
      reason: "FailedScheduling",
      source: { component },
      involvedObject: { kind: "Pod", uid: "u" },
      message,
    });
    expect([...refusedPods([event("default-scheduler", "0/3"), event("karpenter", "exceeds limits")])]).toEqual([
      ["u", "exceeds limits"],
    ]);
  });
});

describe("Karpenter's reasons", () => {
  const other = "incompatible requirements, key node.kubernetes.io/instance-type, a In [x] not in a In [y]";
  const limit = "all available instance types exceed limits for nodepool (NodePool=l4)";

  it("are those of the pool that makes the pod's machine", () => {
    expect(shortRefusal(`Failed to schedule pod, ${other}; ${limit}; ${other}`)).toBe(limit);
  });

  it("are all of them where no pool makes it", () => {
    expect(shortRefusal(`Failed to schedule pod, ${other}; ${other}`)).toBe(`${other}; ${other}`);
  });
});

const plan: { readonly pools: readonly PoolPlan[] } = {
  pools: [poolPlan({ name: "h100", shape: shape("p5.48xlarge"), minNodes: 1, maxNodes: 2 })],
};
const made = (name: string, shape = "p5.48xlarge"): MadeNode => {
  return { name, nodePool: "gpus", shape, capacityType: "on-demand", zone: "us-east-1a" };
};
const claim = (nodeName: string, lastTransitionTime: string): KubernetesObject => ({
  apiVersion: "karpenter.sh/v1",
  kind: "NodeClaim",
  metadata: { name: nodeName },
  status: { nodeName, conditions: [{ type: "Initialized", status: "True", lastTransitionTime }] },
});
const since = Date.parse("2026-11-23T10:00:00Z");
const fact = (nodes: readonly MadeNode[], claims: readonly KubernetesObject[] = []): AutoscalerFact =>
  autoscalerFact(plan, { nodePools: [nodePool], groupNodes: [], made: nodes, claims, since });

describe("what a report says of them", () => {
  it("is how many there are, when the last took pods, and what they cost at the catalogue's price", () => {
    const claims = [claim("a", "2026-11-23T10:00:04Z"), claim("b", "2026-11-23T10:00:09Z")];
    expect(fact([made("a"), made("b")], claims).pools).toEqual([
      {
        name: "h100",
        shape: "p5.48xlarge",
        groupNodes: 0,
        maxNodes: 2,
        made: [made("a"), made("b")].map(({ nodePool: _, ...rest }) => rest),
        seconds: 9,
        usdPerHour: 110.08,
      },
    ]);
  });

  it("knows no price of a machine without one, and no seconds without nodes", () => {
    expect(fact([made("a", "p5e.48xlarge")]).pools).toMatchObject([{ usdPerHour: null, seconds: null }]);
    expect(fact([]).pools).toMatchObject([{ made: [], usdPerHour: 0, seconds: null }]);
  });

  it("is broken with another machine, or more nodes than the plan needs for the same pods", () => {
    const pools = facts().pools.map((pool) => ({ ...pool, name: "h100", minNodes: 1, maxNodes: 2 }));
    const found = (nodes: readonly MadeNode[]) =>
      autoscalerFindings({ pools, autoscaler: fact(nodes) }).map(({ severity, message }) => `${severity}: ${message}`);
    expect(found([made("a")])).toEqual([]);
    expect(found([made("a", "p4d.24xlarge")])).toEqual(["broken: is planned as p5.48xlarge, and has p4d.24xlarge"]);
    expect(found([made("a"), made("b")])).toEqual([
      "broken: has 2 nodes; the plan needs 1 for the same pods, and no more is in its cost",
    ]);
    expect(autoscalerFindings({ pools })).toEqual([]);
  });

  it("is read by people as a table", () => {
    const report = { ...facts({ autoscaler: fact([made("a")]) }), ok: true, findings: [], phases: [], seconds: 12 };
    expect(terminalReport(report, { color: false })).toMatch(/^h100 +1: 1 on-demand +p5\.48xlarge +– +55\.04$/m);
  });
});
