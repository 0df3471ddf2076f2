import { describe, expect, it } from "vitest";
import type { PoolPlan } from "../../planner/types";
import { eksPools } from "../../stacks/eks-pools";
import { poolPlan, shape } from "../report/html.fixture";

const gpus = poolPlan({ name: "gpus", shape: shape("g6.12xlarge"), minNodes: 1, maxNodes: 3 });

/** Nodes that a managed node group has, and that Karpenter may make. */
function makersOf(plan: PoolPlan, capacity?: "spot" | { readonly reservation: string }): readonly [number, number] {
  const config = { [plan.name]: { shape: plan.shape.name, ...(capacity && { capacity }) } };
  const [pool] = eksPools(config as Parameters<typeof eksPools>[0], { pools: [plan], models: [] }, ["us-east-1a"]);
  return [pool?.groupNodes ?? -1, pool?.karpenterNodes ?? -1];
}

describe("nodes of a pool on AWS", () => {
  it("are Karpenter's, on demand and as spot", () => {
    expect(makersOf(gpus)).toEqual([0, 3]);
    expect(makersOf(gpus, "spot")).toEqual([0, 3]);
  });

  it("are a group's where they are reserved, and where Karpenter could not tell that pods fit: it knows whole cards", () => {
    expect(makersOf(gpus, { reservation: "cr-0123456789abcdef0" })).toEqual([1, 0]);
    expect(makersOf({ ...gpus, sharing: { timeSlicing: { replicas: 2 } } })).toEqual([1, 0]);
    expect(makersOf({ ...gpus, sharing: { mig: "all-1g.10gb" } })).toEqual([1, 0]);
  });

  it("are a group's where their memory is encrypted, which Karpenter cannot ask for", () => {
    expect(makersOf({ ...gpus, shape: shape("m6a.xlarge"), confidential: true })).toEqual([1, 0]);
  });

  it("are both's in the system pool: Karpenter runs on the first", () => {
    expect(
      makersOf(poolPlan({ name: "system", role: "system", shape: shape("m7i.2xlarge"), minNodes: 3, maxNodes: 6 })),
    ).toEqual([3, 3]);
  });
});
