import { describe, expect, it } from "vitest";
import { onPremNode } from "../../catalog/shapes";
import { planDeployment } from "../../planner/plan";
import type { PoolRequest } from "../../planner/request";
import { nodesOf } from "../../rehearsal/cluster/existing-parts";
import { platformPlaceProblems } from "../../stacks/platform-place";
import { environmentOf, poolOf } from "../planner/fixtures";
import { environmentText, rightEnvironment } from "./config/samples";
import { planText } from "./planned";

const own = onPremNode({ card: "rtx-4090", gpuCount: 2, vcpus: 32, memoryGiB: 128, localNvmeGB: 0, networkGbps: 10 });

function planOf(pools: readonly PoolRequest[]) {
  return planDeployment({ ...environmentOf([], []), pools });
}

describe("the place of the platform", () => {
  const existing = { provision: "existing" as const };

  it.each([
    ["VM.GPU.A10.2", "system: {shape: VM.Standard.A1.Flex"],
    ["g6e.xlarge", "system: {shape: m7i.2xlarge"],
  ] as const)("is missing on machines such as %s where every pool has GPUs", (shape, fix) => {
    const { pools } = planOf([poolOf(shape, 1), poolOf(shape, 1, { name: "more" })]);
    expect(platformPlaceProblems(existing, pools)).toEqual([
      expect.objectContaining({ severity: "mandatory", rule: "platform-place", message: expect.stringContaining(fix) }),
    ]);
  });

  it("is a pool without GPUs, or machines of one's own", () => {
    const withSystem = planOf([poolOf("VM.GPU.A10.2", 1), poolOf("m7i.2xlarge", 1)]).pools;
    expect(platformPlaceProblems(existing, withSystem)).toEqual([]);
    const gpuAlone = planOf([poolOf("VM.GPU.A10.2", 1, { shape: own })]).pools;
    expect(platformPlaceProblems({ provision: "create" }, gpuAlone)).toEqual([]);
    expect(platformPlaceProblems(existing, gpuAlone)).toEqual([
      expect.objectContaining({ severity: "advisory", rule: "platform-place" }),
    ]);
  });

  it.each([
    ["a taint of their own", { key: "team", effect: "NoSchedule" }, "mandatory"],
    ["a taint that the scheduler may overlook", { key: "team", effect: "PreferNoSchedule" }, "advisory"],
  ] as const)("is missing where nodes have %s: %s", (_, taint, severity) => {
    const tainted = (shape: PoolRequest["shape"], more: Partial<PoolRequest> = {}) =>
      planOf([poolOf("VM.GPU.A10.2", 1, { shape, ownTaints: [taint], ...more })]).pools;
    expect(platformPlaceProblems(existing, tainted(own))).toEqual([expect.objectContaining({ severity })]);
    const cpus = onPremNode({ vcpus: 32, memoryGiB: 128, gpuCount: 0, localNvmeGB: 0, networkGbps: 10 });
    expect(platformPlaceProblems(existing, tainted(cpus, { role: "cpu" }))).toEqual(
      severity === "mandatory" ? [expect.objectContaining({ severity })] : [],
    );
  });

  it.each(["local", "edge", "aws", "oci"] as const)("is judged by machines, not by the kind %s", async (kind) => {
    const machine = { node: { card: "l40s", gpuCount: 1, vcpus: 16, memoryGiB: 128 } };
    const shape = { aws: { shape: "g6e.xlarge" }, oci: { shape: "VM.GPU.A10.2" }, local: machine, edge: machine }[kind];
    const { plan } = await planText(
      environmentText({ ...rightEnvironment, cluster: { kind }, pools: { gpu: shape }, models: {} }),
    );
    const found = plan.problems.find(({ rule }) => rule === "platform-place");
    expect(found?.severity).toBe(shape === machine ? "advisory" : "mandatory");
  });

  it("is asked for in the plan of an environment", async () => {
    const pools = { gpu: { shape: "VM.GPU.A10.2", maxNodes: 4 } };
    const { plan } = await planText(environmentText({ ...rightEnvironment, pools }));
    expect(plan.problems.map(({ rule }) => rule)).toContain("platform-place");
  });
});

describe("nodes of a rehearsal", () => {
  it("keep the taints that a cloud sets, although nothing else is there", () => {
    const nodes = nodesOf(planOf([poolOf("VM.GPU.A10.2", 2)]));
    expect(nodes).toHaveLength(2);
    for (const { spec } of nodes) {
      expect(spec).toEqual({ taints: expect.arrayContaining([{ key: "nvidia.com/gpu", effect: "NoSchedule" }]) });
    }
  });

  it("have no taint on a machine of one's own that runs the platform too", () => {
    expect(nodesOf(planOf([poolOf("VM.GPU.A10.2", 1, { shape: own })])).map(({ spec }) => spec)).toEqual([
      { taints: [] },
    ]);
  });
});
