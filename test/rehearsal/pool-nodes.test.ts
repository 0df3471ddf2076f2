import { describe, expect, it } from "vitest";
import { planDeployment } from "../../planner/plan";
import { nodesOf } from "../../rehearsal/cluster/existing-parts";
import { environmentOf, modelOf, poolOf } from "../planner/fixtures";

describe("nodes of the rehearsal", () => {
  it("offer the GPUs of their machines, and RDMA devices where the plan says that they do", () => {
    const resourcesOf = (changes: Parameters<typeof poolOf>[2]) => {
      const plan = planDeployment(
        environmentOf([poolOf("BM.GPU.H100.8", 2, changes)], [modelOf("llama-3.1-405b-instruct")]),
      );
      const nodes = nodesOf(plan, ({ role }) => (role === "gpu" ? 1 : 0));
      return nodes.map(({ status }) => (status as { allocatable: object }).allocatable);
    };
    const devices = { "nvidia.com/gpu": "8", "nvidia.com/rdma-vf": "16" };
    expect(resourcesOf({ rdmaAccess: "virtual-functions" })).toMatchObject([devices]);
    expect(resourcesOf({})).toMatchObject([{ "nvidia.com/gpu": "8" }]);
    expect(resourcesOf({})[0]).not.toHaveProperty(["nvidia.com/rdma-vf"]);
  });

  it("offer no devices to pods on their network, and are in blocks of it where the pool says which label names them", () => {
    const label = "oci.oraclecloud.com/rdma.local_block_id";
    const pool = poolOf("BM.GPU.H100.8", 4, { rdmaAccess: "host-network", rdmaTopologyLabel: label });
    const plan = planDeployment(environmentOf([pool], [modelOf("llama-3.1-405b-instruct")]));
    const nodes = nodesOf(plan, ({ role }) => (role === "gpu" ? 4 : 0));
    for (const { status } of nodes) {
      expect((status as { allocatable: object }).allocatable).not.toHaveProperty(["nvidia.com/rdma-vf"]);
    }
    expect(nodes.map(({ metadata }) => metadata?.labels?.[label]?.slice(-7))).toEqual([
      "block-0",
      "block-0",
      "block-1",
      "block-1",
    ]);
  });
});
