/** A pool whose machines never come holds up its own models, and nothing else: of each kind of cluster that the program makes. */
import { describe, expect, it } from "vitest";
import type { RecordedResource } from "../../offline/run";
import { platformPools } from "../../planner/platform-pools";
import { CreationOrder } from "../harness/creation-order";
import { type ProgramRun, programRun, sharedRun } from "./run";

const NODES = [
  "aws:eks/nodeGroup:NodeGroup",
  "oci:ContainerEngine/nodePool:NodePool",
  "oci:Core/clusterNetwork:ClusterNetwork",
  "oci:Core/instancePool:InstancePool",
];
const OKE_ADDON = "oci:ContainerEngine/addon:Addon";
const WORKLOADS = ["Deployment", "StatefulSet", "LeaderWorkerSet", "RayService"];

/** AWS with a pool whose nodes are a node group's, not Karpenter's. */
async function awsRun(): Promise<ProgramRun> {
  const { environment } = await programRun("aws-prod");
  const { h100, ...pools } = environment.pools;
  return sharedRun("aws-prod", {
    pools: {
      ...pools,
      h100: { ...h100, minNodes: 2, zones: ["us-east-1a"], capacity: { reservation: "cr-0123456789abcdef0" } },
    },
  });
}

const RUNS = [
  ["aws-prod", awsRun, "h100"],
  ["oci-a10", () => programRun("oci-a10"), "a10"],
  ["oci-a10", () => programRun("oci-a10"), "a10-pair"],
  ["oci-h100", () => programRun("oci-h100"), "h100"],
  ["oci-h100", () => programRun("oci-h100"), "a10"],
] as const;

/** What the program makes of a pool, and what of the program waits for that. */
function parts({ resources, plan }: ProgramRun, pool: string) {
  const order = new CreationOrder(resources);
  const made = resources.filter(({ type, name }) => NODES.includes(type) && name.endsWith(`-${pool}`));
  const waits = (resource: RecordedResource) => made.some(({ urn }) => order.before(resource).has(urn));
  const models = plan.models.filter((model) => model.pool === pool).map(({ name }) => `platform-models-${name}`);
  const isOf = (name: string) => models.some((model) => name === model || name.startsWith(`${model}-`));
  const workloads = resources.filter(
    ({ type, name }) => isOf(name) && WORKLOADS.includes(type.split(":").at(-1) ?? ""),
  );
  return { order, made, waiting: resources.filter(waits), isOf, workloads, models: plan.models };
}

describe.each(RUNS)("%s without its pool", (environment, run, pool) => {
  it(`${pool}: only its models, and what serves no other pool, wait`, async () => {
    const { made, waiting, isOf, models } = parts(await run(), pool);
    expect(made).toHaveLength(1);
    const scaled = models.filter((model) => model.pool === pool).map(({ name }) => `platform-autoscaling-${name}`);
    const others = waiting
      .map(({ name }) => name)
      .filter((name) => !isOf(name) && !scaled.includes(name))
      .filter((name) => !/^(platform-fabric-gate-h100|platform-rdma-devices|cluster-addons-nvidia-network)/.test(name));
    // It knows pools by their OCIDs; models are fetched onto all engines of the API, or not at all.
    expect(
      others.filter((name) => !/^(cluster-addons-autoscaler|platform-control-warm-fetch-job)$/.test(name)),
    ).toEqual([]);
    expect(others.length).toBeLessThanOrEqual(environment === "oci-a10" ? 2 : 1);
  });

  it(`${pool}: pods of its models come after its nodes, and the add-ons for GPUs`, async () => {
    const { resources } = await run();
    const { order, made, workloads } = parts(await run(), pool);
    const addons = resources.filter(({ type, inputs }) => type === OKE_ADDON && /Gpu/.test(String(inputs.addonName)));
    expect(workloads.length).toBeGreaterThan(0);
    expect(addons.length).toBe(environment === "aws-prod" ? 0 : 1);
    for (const workload of workloads) {
      const before = order.before(workload);
      expect([...made, ...addons].filter(({ urn }) => !before.has(urn))).toEqual([]);
    }
  });
});

it.each(["aws-prod", "oci-a10", "oci-h100"] as const)(
  "%s: the platform waits for its own nodes and for names",
  async (name) => {
    const { resources, plan } = await programRun(name);
    const order = new CreationOrder(resources);
    const [platform] = resources.filter(({ type }) => type === "inference:platform:Platform");
    const own = platformPools(plan.pools).map((pool) => pool.name);
    expect(own).toEqual(["system"]);
    const before = platform ? order.before(platform) : new Set();
    const found = resources.filter(({ urn, type }) => before.has(urn) && NODES.includes(type)).map((pool) => pool.name);
    expect(found).toEqual([expect.stringMatching(/-system$/)]);
    const dns = resources.find(({ inputs }) => /^core-?dns$/i.test(String(inputs.addonName)));
    expect(before.has(dns?.urn ?? "")).toBe(true);
  },
);
