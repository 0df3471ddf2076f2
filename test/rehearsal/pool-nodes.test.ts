import { describe, expect, it } from "vitest";
import { planDeployment } from "../../planner/plan";
import type { ModelRequest } from "../../planner/request";
import { SCALED_BY_DEFAULT } from "../../planner/scaling";
import { nodesOf } from "../../rehearsal/cluster/existing-parts";
import { machinesOf, nodesOfPool, startNodes } from "../../rehearsal/pool-nodes";
import { environmentOf, modelOf, poolOf } from "../planner/fixtures";
import { programRun } from "../stacks/run";

describe("nodes of the rehearsal", () => {
  it("are those that always run, and one for the first replica of each model that sleeps later", () => {
    const sleeper = {
      ...modelOf("llama-3.2-3b-instruct", { concurrency: 2 }),
      minReplicas: 0,
      scaling: SCALED_BY_DEFAULT,
    };
    const runs = { ...sleeper, name: "runs", minReplicas: 1 };
    const nodesFor = (maxNodes: number, models: readonly ModelRequest[]) => {
      const plan = planDeployment(environmentOf([poolOf("VM.GPU.A10.1", maxNodes, { name: "gpu" })], models));
      return startNodes(plan, {}, []).filter(({ pool }) => pool.name === "gpu").length;
    };
    expect(nodesFor(3, [runs])).toBe(1);
    expect(nodesFor(3, [runs, sleeper])).toBe(2);
    expect(nodesFor(3, [sleeper, { ...sleeper, name: "other" }])).toBe(2);
    // Never more than there may be: one of the two waits for the other to sleep.
    expect(nodesFor(1, [sleeper, { ...sleeper, name: "other" }])).toBe(1);
  });

  it("are dealt over as many zones as replicas of a promised availability must be apart", () => {
    const promised = modelOf("llama-3.1-8b-instruct", {
      minReplicas: 2,
      maxReplicas: 2,
      serviceLevel: { availability: 0.999 },
    });
    const zonesOf = (model: ModelRequest) => {
      const plan = planDeployment(environmentOf([poolOf("g6e.xlarge", 3, { name: "gpu", zones: 3 })], [model]));
      return startNodes(plan, { gpu: 3 }, [])
        .filter(({ pool }) => pool.name === "gpu")
        .map(({ object }) => object.metadata.labels?.["topology.kubernetes.io/zone"]);
    };
    expect(zonesOf(promised)).toEqual(["zone-1", "zone-2", "zone-1"]);
    expect(zonesOf({ ...promised, serviceLevel: { availability: 0.9 } })).toEqual([undefined, undefined, undefined]);
  });

  it("are called as the machines are that an environment names, which volumes on their disks ask for", async () => {
    const { environment, plan } = await programRun("edge-nvidia");
    const machines = machinesOf(environment);
    expect(machines).toEqual(["workstation"]);
    const [pool] = plan.pools;
    const named = (nodes: ReturnType<typeof startNodes>) =>
      nodes.map(({ object: { metadata } }) => [metadata.name, metadata.labels?.["kubernetes.io/hostname"]]);
    expect(named(startNodes(plan, {}, machines))).toEqual([["workstation", "workstation"]]);
    // What if there were one more: nobody has named it.
    expect(named(pool ? nodesOfPool(plan, pool, { count: 2, machines }) : [])).toEqual([
      ["workstation", "workstation"],
      ["workstation-1", "workstation-1"],
    ]);
    expect(machinesOf((await programRun("oci-a10")).environment)).toEqual([]);
  });

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
