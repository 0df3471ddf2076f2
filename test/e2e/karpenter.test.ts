/**
 * The real Karpenter on a real control plane, with the NodePools of aws-prod: their class is the one of Karpenter's simulated cloud, and a
 * node without pods is given up after a second instead of the pool's minutes. Nothing else is changed.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { findShape, hourlyUsd } from "../../catalog/shapes";
import type { KubernetesObject } from "../../kubernetes/object";
import { UNCERTIFIED } from "../../planner/fabric-gate";
import { AutoscaledRehearsal } from "../../rehearsal/autoscaler";
import { type MadeNode, madeNodes, type NodePool, nodePoolsOf, refusedPods } from "../../rehearsal/autoscaler-nodes";
import { waitFor } from "../../rehearsal/cluster/wait";
import { readState } from "../../rehearsal/cluster-state";
import { type RehearsalReport, rehearsalSchema } from "../../rehearsal/report/schema";
import { Stopwatch } from "../../rehearsal/stopwatch";
import type { ProgramRun } from "../stacks/run";
import { coreDns, systemPods } from "./karpenter/core-dns";
import { wideAwsProd } from "./karpenter/environment";

const NODES_SECONDS = 60;
/** Karpenter looks for empty nodes every ten seconds, waits fifteen more before it believes itself, and then drains them. */
const IDLE_SECONDS = 120;
const IDLE_AFTER = "1s";

let rehearsal: AutoscaledRehearsal;
let report: RehearsalReport;

beforeAll(async () => {
  const run = impatient(await wideAwsProd());
  rehearsal = await AutoscaledRehearsal.start(run, new Stopwatch(() => undefined));
  report = await rehearsal.perform();
}, 300_000);
afterAll(() => rehearsal?.stop());

/** What a failure leaves no trace of otherwise: the cluster ends with the file. */
afterEach(async ({ task }) => {
  if (task.result?.state === "fail") {
    const { pods } = await readState(client());
    const lines = pods.map((pod) => `${pod.namespace}/${pod.name} on ${pod.node}: ${pod.waitsFor ?? "ready"}`);
    console.log(
      [
        ...lines,
        ...rehearsal.autoscalerOutput
          .trimEnd()
          .split("\n")
          .slice(-60)
          .map((line) => line.slice(0, 600)),
      ].join("\n"),
    );
  }
});

/** The environment with pools whose nodes go soon after their last pod. */
function impatient(run: ProgramRun): ProgramRun {
  const resources = run.recording.resources.map((resource) => {
    const [pool] = nodePoolsOf([resource.inputs as unknown as KubernetesObject]);
    return pool === undefined
      ? resource
      : {
          ...resource,
          inputs: {
            ...pool,
            spec: { ...pool.spec, disruption: { ...(pool.spec.disruption as object), consolidateAfter: IDLE_AFTER } },
          },
        };
  });
  return { ...run, recording: { ...run.recording, resources } };
}

const client = () => rehearsal.plane.client;

async function made(pool: string): Promise<MadeNode[]> {
  return madeNodes(await client().list("v1", "Node")).filter(({ nodePool }) => nodePool === nodePoolNamed(pool));
}

/** The NodePool of a pool of the plan. */
function nodePoolNamed(pool: string): string {
  return nodePoolOf(pool).metadata.name;
}

function nodePoolOf(pool: string): NodePool {
  const all = rehearsal.nodePools;
  const found = all.find(({ spec }) => spec.template.metadata?.labels?.["inference-stacks.io/pool"] === pool);
  if (found === undefined) {
    throw new Error(`no NodePool for ${pool}; there are: ${all.map(({ metadata }) => metadata.name).join(", ")}`);
  }
  return found;
}

/** A pod that asks for GPUs of a pool as a model does. */
function gpuPod(name: string, pool: string, gpus: number): KubernetesObject {
  const plan = rehearsal.run.plan.pools.find((each) => each.name === pool);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
      automountServiceAccountToken: false,
      nodeSelector: { "inference-stacks.io/pool": pool },
      tolerations: plan?.taints.map(({ key, effect }) => ({ key, effect, operator: "Exists" })),
      containers: [
        {
          name: "main",
          image: "registry.example/pause:1",
          resources: { limits: { "nvidia.com/gpu": String(gpus) } },
        },
      ],
    },
  };
}

async function podsNamed(prefix: string, namespace = "default") {
  const { pods } = await readState(client());
  return pods.filter((pod) => pod.namespace === namespace && pod.name.startsWith(prefix));
}

/** Waits until so many pods are ready. */
function ready(prefix: string, count: number, namespace?: string) {
  return waitFor(
    `${count} pods ${prefix}… to be ready`,
    async () => {
      const pods = await podsNamed(prefix, namespace);
      return pods.filter((pod) => pod.ready).length === count ? pods : undefined;
    },
    NODES_SECONDS,
  );
}

/** What Karpenter says of a pod for which it makes no node. */
function refusal(name: string): Promise<string> {
  return waitFor(
    `Karpenter to say why ${name} has no node`,
    async () => {
      const [pod] = await podsNamed(name);
      return refusedPods(await client().list("v1", "Event")).get(pod?.uid ?? "");
    },
    NODES_SECONDS,
  );
}

describe("Karpenter with the NodePools of aws-prod", { timeout: 180_000 }, () => {
  it("is told of them by objects that an API server with the definitions of AWS accepts", () => {
    expect(report.objects.refused).toEqual([]);
    expect(report.findings.filter(({ severity }) => severity === "broken")).toEqual([]);
    expect(rehearsalSchema.parse(report).ok).toBe(true);
  });

  it("makes nodes of exactly the planned machines, as many as the plan pays for, at the catalogue's price", () => {
    const usd = (shape: string, nodes: number) => {
      const known = findShape(shape);
      return known && Math.round(nodes * (hourlyUsd(known) ?? 0) * 10_000) / 10_000;
    };
    const pools = report.autoscaler?.pools.filter(({ made: nodes }) => nodes.length > 0) ?? [];
    expect(
      pools.map(({ name, made: nodes, usdPerHour }) => [
        name,
        nodes.length,
        ...new Set(nodes.map(({ shape, capacityType }) => `${shape} ${capacityType}`)),
        usdPerHour,
      ]),
    ).toEqual([
      ["h100", 1, "p5.48xlarge on-demand", usd("p5.48xlarge", 1)],
      ["l40s", 2, "g6e.4xlarge on-demand", usd("g6e.4xlarge", 2)],
      ["l4", 4, "g6.4xlarge on-demand", usd("g6.4xlarge", 4)],
      ["cheap", 1, "g6.2xlarge spot", usd("g6.2xlarge", 1)],
      ["wide", 3, "g6.12xlarge on-demand", usd("g6.12xlarge", 3)],
    ]);
    for (const { seconds } of pools) {
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(seconds).toBeLessThan(NODES_SECONDS);
    }
  });

  it("fills the machines that the plan allows, and makes none for a 17th GPU", async () => {
    await Promise.all(["batch-0", "batch-1"].map((name) => client().create(gpuPod(name, "h100", 4))));
    await ready("batch-", 2);
    expect((await made("h100")).map(({ shape }) => shape)).toEqual(["p5.48xlarge", "p5.48xlarge"]);

    await client().create(gpuPod("seventeenth", "h100", 1));
    expect(await refusal("seventeenth")).toMatch(/limits.* (?:for|of) nodepool.*h100/);
    expect((await podsNamed("seventeenth"))[0]).toMatchObject({ node: null, unschedulable: true });
    expect(await made("h100")).toHaveLength(2);
  });

  it("puts CoreDNS and other pods of the system on no node with GPUs, whatever room these have", async () => {
    await Promise.all([coreDns(), systemPods(8, "4")].map((object) => client().create(object)));
    await ready("coredns-", 2, "kube-system");
    const pods = await waitFor(
      "pods of the system to fill the nodes without GPUs",
      async () => {
        const [all, refused] = [await podsNamed("filler-", "kube-system"), await client().list("v1", "Event")];
        const reasons = refusedPods(refused);
        return all.length === 8 && all.every((pod) => pod.ready || reasons.has(pod.uid)) ? all : undefined;
      },
      NODES_SECONDS,
    );
    const nodes = await client().list("v1", "Node");
    const machineOf = (node: string | null) =>
      nodes.find(({ metadata }) => metadata.name === node)?.metadata.labels?.["node.kubernetes.io/instance-type"];
    const placed = [...pods, ...(await podsNamed("coredns-", "kube-system"))].filter(({ node }) => node !== null);
    expect(new Set(placed.map(({ node }) => machineOf(node)))).toEqual(new Set(["m7i.2xlarge"]));
    // Three of the group's, three that Karpenter may add; with the pods that found no room, that is all.
    expect(await made("system")).toHaveLength(3);
    expect(pods.some(({ node }) => node === null)).toBe(true);
  });

  it("takes machines on demand where spot ones are gone", async () => {
    const before = await made("cheap");
    expect(before.map(({ capacityType }) => capacityType)).toEqual(["spot"]);
    await rehearsal.changeOffers(({ capacityType }) => capacityType !== "spot");
    await client().create(gpuPod("more", "cheap", 1));
    await ready("more", 1);
    const after = await made("cheap");
    expect(after.map(({ capacityType }) => capacityType).sort()).toEqual(["on-demand", "spot"]);
    expect(after.map(({ name }) => name)).toEqual(expect.arrayContaining(before.map(({ name }) => name)));
  });

  it("makes one node for a pod that waits for a startup taint to go, not one after the other", async () => {
    const { metadata, ...pool } = nodePoolOf("cheap");
    const { template } = pool.spec;
    const labels = { "inference-stacks.io/pool": "gated" };
    await client().create({
      ...pool,
      metadata: { name: "gated" },
      spec: {
        ...pool.spec,
        template: { metadata: { labels }, spec: { ...template.spec, startupTaints: [UNCERTIFIED] } },
      },
    });
    const pod = gpuPod("gated", "cheap", 1);
    await client().create({ ...pod, spec: { ...(pod.spec as object), nodeSelector: labels } });
    const gated = async () =>
      (await client().list("v1", "Node")).filter(
        ({ metadata: { labels: has } }) => has?.["karpenter.sh/nodepool"] === "gated",
      );
    await waitFor("a node", async () => ((await gated()).length > 0 ? true : undefined), NODES_SECONDS);
    // Longer than Karpenter collects pods before it makes nodes for them.
    await new Promise((resolve) => setTimeout(resolve, 6000));
    const nodes = await gated();
    expect(nodes).toHaveLength(1);
    expect((await podsNamed("gated"))[0]).toMatchObject({ node: null, ready: false });
    const [node] = nodes;
    const { taints = [] } = (node?.spec ?? {}) as { readonly taints?: readonly { readonly key: string }[] };
    expect(taints.map(({ key }) => key)).toContain(UNCERTIFIED.key);
    if (node !== undefined) {
      await client().patch(node, { spec: { taints: taints.filter(({ key }) => key !== UNCERTIFIED.key) } });
    }
    await ready("gated", 1);
    expect(await gated()).toHaveLength(1);
  });

  it("gives up nodes without pods, and keeps those of a group although their pool was changed", async () => {
    const [group, others] = await Promise.all([made("wide"), made("l40s")]);
    // At its maximum: its limits are what its nodes have.
    const [cpu, gpus] = [others.length * 16, others.length];
    await client().patch(nodePoolOf("l40s"), {
      spec: { limits: { cpu: String(cpu), "nvidia.com/gpu": String(gpus) } },
    });
    await Promise.all(["wide", "l40s"].map(changePool));
    const started = Date.now();
    await client().delete(systemPods(8, "4"));
    await Promise.all(
      ["batch-0", "batch-1", "seventeenth", "more"].map((name) => client().delete(gpuPod(name, "h100", 1), 0)),
    );
    await waitFor(
      "nodes without pods to go",
      async () => {
        const [h100 = [], cheap = [], system = []] = await Promise.all(["h100", "cheap", "system"].map(made));
        // Of a pool's nodes one goes at a time, and one is enough to see here.
        return h100.length === 1 && cheap.length === 1 && system.length < 3 ? true : undefined;
      },
      IDLE_SECONDS,
    );
    console.log(`idle nodes went ${Math.round((Date.now() - started) / 1000)} s after their pods`);
    // The same change replaces nodes of models that have one node each, although their pool is full: with one node above its maximum.
    const known = new Set(others.map(({ name }) => name));
    let most = 0;
    await waitFor(
      "all nodes of a full pool to be replaced",
      async () => {
        const now = await made("l40s");
        most = Math.max(most, now.length);
        return now.length === others.length && now.every(({ name }) => !known.has(name)) ? true : undefined;
      },
      IDLE_SECONDS,
    );
    expect(most).toBe(others.length + 1);
    const claims = (await client().list("karpenter.sh/v1", "NodeClaim")) as Claim[];
    const own = claims.filter(({ metadata }) => metadata.labels?.["karpenter.sh/nodepool"] === nodePoolNamed("wide"));
    expect(own.map(({ status }) => status.conditions.find(({ type }) => type === "Drifted")?.status)).toEqual(
      group.map(() => "True"),
    );
    expect((await made("wide")).map(({ name }) => name).sort()).toEqual(group.map(({ name }) => name).sort());
    expect(
      (await readState(client())).pods.filter((pod) => pod.namespace === "model-spanning" && pod.ready),
    ).toHaveLength(3);
  });
});

/** Has nodes boot otherwise than those there are: Karpenter calls these drifted. */
async function changePool(pool: string): Promise<void> {
  const nodePool = nodePoolOf(pool);
  const { metadata } = nodePool.spec.template;
  await client().patch(nodePool, {
    spec: { template: { metadata: { ...metadata, annotations: { "example.com/changed": "true" } } } },
  });
}

interface Claim extends KubernetesObject {
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}
