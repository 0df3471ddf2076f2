import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FABRIC_ACCESS, fabricOf, ncclEnvironment } from "../../catalog/fabrics";
import { onPremNode, shapes } from "../../catalog/shapes";
import { engineImage } from "../../components/serving/engine-image";
import { crossingProblem, groupDevices, nodeLinkOf, poolFabric } from "../../planner/fabric";
import { exchangeableShapes } from "../../planner/fixes/pool-settings";
import { planDeployment } from "../../planner/plan";
import type { PoolRequest } from "../../planner/request";
import type { DeploymentPlan } from "../../planner/types";
import { environmentOf, modelOf, poolOf, shapeNamed } from "./fixtures";

const RDMA = { rdmaAccess: "virtual-functions" } as const;
const large = modelOf("llama-3.1-405b-instruct");

function planOn(pool: PoolRequest, models = [large]): DeploymentPlan {
  return planDeployment(environmentOf([pool], models));
}

describe("a pool whose nodes offer RDMA", () => {
  it("gives the pods of a replica that spans nodes all devices, their networks and NCCL's variables", () => {
    const plan = planOn(poolOf("BM.GPU.H100.8", 2, RDMA));
    expect(plan.problems.filter(({ severity }) => severity === "mandatory")).toEqual([]);
    const environment = ncclEnvironment(fabric("BM.GPU.H100.8"), "virtual-functions");
    expect(environment).toMatchObject({ NCCL_NET: "IB", NCCL_IB_HCA: "mlx5", NCCL_IB_GID_INDEX: "3" });
    expect(plan.pools.find(({ name }) => name === "bm-gpu-h100-8")?.fabric).toEqual({
      kind: "roce",
      access: "virtual-functions",
      gbps: 3200,
      device: { resource: "nvidia.com/rdma-vf", perNode: 16, network: "default/rdma-vf" },
      environment,
    });
    expect(plan.models[0]).toMatchObject({
      nodesPerReplica: 2,
      resources: { gpus: 8, extended: { "nvidia.com/rdma-vf": 16 } },
    });
    expect(plan.models[0]?.nodeLink).toEqual({
      transport: "roce",
      hostNetwork: false,
      gbps: 3200,
      networks: Array.from({ length: 16 }, () => "default/rdma-vf"),
      environment,
    });
  });

  it("leaves pods that share a node without devices", () => {
    const [small] = planOn(poolOf("BM.GPU.H100.8", 2, RDMA), [modelOf("llama-3.1-8b-instruct")]).models;
    expect(small).toMatchObject({ nodesPerReplica: 1 });
    expect(small).not.toHaveProperty("nodeLink");
    expect(small?.resources).not.toHaveProperty("extended");
  });

  it("puts pods on the network of their nodes where it says so: NCCL names the host's devices, and nothing else asks for any", () => {
    const label = "example.com/block";
    const plan = planOn(poolOf("BM.GPU.H100.8", 2, { rdmaAccess: "host-network", rdmaTopologyLabel: label }));
    expect(plan.problems.filter(({ severity }) => severity === "mandatory")).toEqual([]);
    const environment = ncclEnvironment(fabric("BM.GPU.H100.8"), "host-network");
    expect(environment.NCCL_IB_HCA).toMatch(/^=mlx5_0,mlx5_1,/);
    expect(plan.models[0]?.nodeLink).toEqual({
      transport: "roce",
      hostNetwork: true,
      topologyLabel: label,
      gbps: 3200,
      networks: [],
      environment,
    });
    expect(plan.models[0]?.resources).not.toHaveProperty("extended");
  });

  it("keeps inference nodes off the network of their machines", () => {
    const node = { group: "inference-cluster" };
    const over = (rdmaAccess: "host-network" | "virtual-functions") =>
      planOn(poolOf("BM.GPU.H100.8", 2, { rdmaAccess }), [{ ...large, node }]);
    expect(over("virtual-functions").models).toHaveLength(1);
    const { models, problems } = over("host-network");
    expect(models).toEqual([]);
    expect(problems[0]?.message).toContain("past every NetworkPolicy");
    expect(problems[0]?.remedies?.join()).toContain("pools.bm-gpu-h100-8.rdma.access: virtual-functions");
  });

  it("says TCP and asks for nothing where nobody says that there are devices", () => {
    const plan = planOn(poolOf("BM.GPU.H100.8", 2));
    expect(plan.pools.some((pool) => "fabric" in pool)).toBe(false);
    expect(plan.models[0]?.nodeLink).toEqual({
      transport: "tcp",
      gbps: 100,
      hostNetwork: false,
      networks: [],
      environment: {},
    });
    expect(plan.models[0]?.resources).not.toHaveProperty("extended");
  });

  it("is refused for a replica that spans nodes where NCCL of the image would go over TCP", () => {
    const model = modelOf("llama-3.1-405b-instruct", { tensorParallel: 8, pipelineParallel: 2 });
    const over = (pool: PoolRequest) => planOn(pool, [model]);
    const older = modelOf("llama-3.1-405b-instruct", { ...model, engineVersion: "0.32.0" });
    const efa = planOn(poolOf("p5.48xlarge", 2, { name: "p5", rdmaAccess: "efa" }), [older]);
    expect(efa.models).toEqual([]);
    expect(efa.problems[0]).toMatchObject({ rule: "model-fits", subject: `models.${model.name}` });
    expect(efa.problems[0]?.message).toContain("its nodes offer EFA");
    const tcp = over(poolOf("p5.48xlarge", 2, { name: "p5" }));
    // Of several interfaces TCP uses one: no speed is claimed.
    expect(tcp.models[0]?.nodeLink).toEqual({ transport: "tcp", hostNetwork: false, networks: [], environment: {} });

    const unpinned = planOn(poolOf("p5.48xlarge", 2, { name: "p5", rdmaAccess: "efa" }), [
      modelOf("llama-3.1-405b-instruct", { engineVersion: "0.32.0" }),
    ]);
    expect(unpinned.problems[0]?.message).toContain(
      "its nodes offer EFA, which NCCL in the image vllm-cuda is not known to use, so no model is spread over them",
    );
    expect(unpinned.problems[0]?.remedies).toContain("remove pools.p5.rdma: a model may then span its nodes, over TCP");
  });

  it("is EFA for replicas of an engine that has an image for it, which no replica on one node takes", () => {
    const spread = modelOf("llama-3.1-405b-instruct", { tensorParallel: 8, pipelineParallel: 2 });
    const [model] = planOn(poolOf("p5.48xlarge", 2, { name: "p5", rdmaAccess: "efa" }), [spread]).models;
    expect(model?.nodeLink).toMatchObject({ transport: "efa", environment: { NCCL_NET: "Libfabric" } });
    expect(model?.resources.extended).toEqual({ "vpc.amazonaws.com/efa": 32 });
    expect(engineImage(model ?? expect.fail())).toBe("docker.io/vllm/vllm-openai:v0.33.0-efa");
    const [whole] = planOn(poolOf("p5.48xlarge", 2, { name: "p5", rdmaAccess: "efa" }), [modelOf("qwen3-8b")]).models;
    expect(engineImage(whole ?? expect.fail())).toBe("docker.io/vllm/vllm-openai:v0.33.0");
  });

  it("is no reason to refuse what cannot span nodes anyway, and offers no remedy there", () => {
    const [problem] = planOn(poolOf("p5.48xlarge", 1, { name: "p5", rdmaAccess: "efa" })).problems;
    expect(problem?.rule).toBe("model-fits");
    expect(problem?.message).not.toContain("EFA");
    expect(problem?.remedies ?? []).toEqual([]);
  });

  it("is exchanged only for machines that offer the same", () => {
    const pool = poolOf("BM.GPU.H100.8", 2, RDMA);
    const names = exchangeableShapes(pool).map(({ shape }) => shape.name);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      expect(fabricOf(name)?.kind, name).toBe("roce");
    }
    expect(names.length).toBeLessThan(exchangeableShapes(poolOf("BM.GPU.H100.8", 2)).length);
  });
});

describe("for every shape and access", () => {
  const anyPool = fc.record({
    shape: fc.constantFrom(...shapes),
    rdmaAccess: fc.constantFrom(...FABRIC_ACCESS, undefined),
  });

  it("the devices of a pod are all that a node has, and its link is the pool's", () => {
    fc.assert(
      fc.property(anyPool, ({ shape, rdmaAccess }) => {
        const pool = { shape, ...(rdmaAccess && { rdmaAccess }) };
        const found = poolFabric(pool);
        const link = nodeLinkOf({ shape, ...(found && { fabric: found }) });
        const extended = Object.entries(groupDevices(pool).extended ?? {});
        if (!found) {
          expect(link).toMatchObject({ transport: "tcp", hostNetwork: false, networks: [], environment: {} });
          expect(extended).toEqual([]);
          return;
        }
        const known = fabric(shape.name);
        expect(shape.rdma).toMatchObject({ kind: found.kind, gbps: found.gbps });
        const onHost = found.access === "host-network";
        expect(extended).toEqual(onHost ? [] : [[known.device.resource, known.device.perNode]]);
        expect(link.hostNetwork).toBe(onHost);
        expect(link).toMatchObject({ transport: known.kind, environment: ncclEnvironment(known, found.access) });
        // An EFA interface comes with the device; a virtual function is plugged in by its network.
        expect(link.networks).toHaveLength(found.access === "virtual-functions" ? known.device.perNode : 0);
      }),
    );
  });

  it("replicas span nodes over 10 Gbit/s of Ethernet, or over RDMA that the image uses", () => {
    const problem = (shapeName: string, image: string, changes = {}) =>
      crossingProblem({ name: "p", shape: shapeNamed(shapeName), ...changes }, image)?.reason;
    expect(problem("BM.GPU.H100.8", "vllm-cuda")).toBeUndefined();
    expect(problem("BM.GPU.H100.8", "vllm-cuda", RDMA)).toBeUndefined();
    expect(problem("BM.GPU.MI300X.8", "vllm-rocm", RDMA)).toContain("offer RoCE, which NCCL in the image vllm-rocm");
    const shape = onPremNode({ card: "l40s", gpuCount: 4, vcpus: 64, memoryGiB: 512, localNvmeGB: 0, networkGbps: 1 });
    expect(crossingProblem({ name: "p", shape }, "vllm-cuda")?.reason).toContain("1 Gbit/s network is too slow");
  });
});

function fabric(shapeName: string) {
  const found = fabricOf(shapeName);
  if (!found) {
    throw new Error(`${shapeName} has no fabric`);
  }
  return found;
}
