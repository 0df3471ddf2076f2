import { describe, expect, it } from "vitest";
import { onPremNode } from "../../catalog/shapes";
import { planDeployment } from "../../planner/plan";
import { planWithAdvice } from "../../planner/plan-with-advice";
import type { ModelRequest, PlanRequest } from "../../planner/request";
import type { DeploymentPlan, ModelPlan } from "../../planner/types";
import { environmentOf, gpuOf, modelOf, poolOf, shapeNamed } from "./fixtures";

const onlyModel = (plan: DeploymentPlan): ModelPlan => {
  expect(plan.problems.filter((p) => p.severity === "mandatory")).toEqual([]);
  expect(plan.models).toHaveLength(1);
  const [model] = plan.models;
  if (!model) {
    throw new Error("no model placed");
  }
  return model;
};
const refusals = (request: PlanRequest) => planWithAdvice(request).problems.filter((p) => p.severity === "mandatory");
const placement = (plan: DeploymentPlan) => Object.fromEntries(plan.models.map((m) => [m.name, m.pool]));

const llama70b = (changes: Partial<ModelRequest> = {}) => modelOf("llama-3.3-70b-instruct", changes);
const ollama3b = (changes: Partial<ModelRequest> = {}) =>
  modelOf("llama-3.2-3b-instruct", {
    engine: "ollama",
    engineVersion: "0.32.15",
    quantization: "Q4_K_M",
    source: { kind: "ollama", tag: "llama3.2:3b" },
    ...changes,
  });

/** The number of nodes that a refusal asks for. */
function nodesAskedFor(message: string): number {
  const found = /maxNodes from \d+ to (\d+)/.exec(message)?.[1];
  if (found === undefined) {
    throw new Error(`no remedy by nodes in: ${message}`);
  }
  return Number(found);
}

describe("Llama 3.3 70B in BF16, 16 × 8,192 tokens, on BM.GPU.A10.4", () => {
  const on = (maxNodes: number, changes: Partial<ModelRequest> = {}) =>
    environmentOf([poolOf("BM.GPU.A10.4", maxNodes)], [llama70b(changes)]);

  it("is refused on the two nodes of the five-step rule, with the GiB that are missing and the nodes that would serve", () => {
    const [problem, ...others] = refusals(on(2));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ rule: "model-fits", subject: "models.llama-3-3-70b-instruct" });
    expect(problem?.message).toMatch(
      /on 2 nodes of BM\.GPU\.A10\.4: [\d.]+ GiB per GPU \(weights .*KV cache .*overhead .*\) of 20\.\d GiB/,
    );
    expect(problem?.message).toMatch(/[\d.]+ GiB missing .* [\d.]+ GiB off \(vLLM [\d.]+ not measured on NVIDIA A10\)/);
    expect(nodesAskedFor(problem?.message ?? "")).toBe(3);
  });

  it("is placed on the nodes that the refusal names, TP 4 × PP 3, beside the rule's two", () => {
    const model = onlyModel(planDeployment(on(3)));
    expect(model).toMatchObject({ tensorParallel: 4, pipelineParallel: 3, nodesPerReplica: 3, gpusPerNode: 4 });
    expect(model.sizing).toMatchObject({ ruleNodes: 2, exactNodes: 3 });
    expect(model.sizing?.ruleMemoryGB).toBeCloseTo(169.3, 1);
    expect(model.sizing?.difference).toContain("the rule needs 2 node(s)");
  });

  it("is refused with a remedy that serves all of its replicas", () => {
    const nodes = nodesAskedFor(refusals(on(2, { minReplicas: 2, maxReplicas: 2 }))[0]?.message ?? "");
    expect(nodes).toBe(6);
    const plan = planDeployment(on(nodes, { minReplicas: 2, maxReplicas: 2 }));
    expect(onlyModel(plan)).toMatchObject({ nodesPerReplica: 3, minReplicas: 2 });
    expect(plan.pools.find((p) => p.name === "bm-gpu-a10-4")).toMatchObject({
      minNodes: 6,
      gpusClaimed: 24,
      gpusTotal: 24,
    });
  });

  it("fits with the concurrency that the refusal names, and not with one more", () => {
    const message = refusals(on(2))[0]?.message ?? "";
    const concurrency = Number(/concurrency from 16 to (\d+)/.exec(message)?.[1]);
    expect(concurrency).toBeGreaterThanOrEqual(1);
    expect(onlyModel(planDeployment(on(2, { concurrency })))).toMatchObject({ nodesPerReplica: 2 });
    expect(refusals(on(2, { concurrency: concurrency + 1 }))).toHaveLength(1);
  });
});

describe("planDeployment", () => {
  it("runs Llama 3.1 405B in BF16 on two H100 nodes as TP 8 × PP 2", () => {
    const plan = planDeployment(environmentOf([poolOf("BM.GPU.H100.8", 2)], [modelOf("llama-3.1-405b-instruct")]));
    const model = onlyModel(plan);
    expect(model).toMatchObject({ tensorParallel: 8, pipelineParallel: 2, nodesPerReplica: 2, gpusPerNode: 8 });
    expect(model.resources).toMatchObject({ gpus: 8, gpuResource: "nvidia.com/gpu", sharedMemoryGiB: 32 });
    expect(model.modelStorageGiB).toBeGreaterThanOrEqual((1.5 * 811.7e9) / 2 ** 30);
    expect(plan.pools.find((p) => p.name === model.pool)).toMatchObject({
      minNodes: 2,
      gpusClaimed: 16,
      gpusTotal: 16,
    });
  });

  it("prefers tensor parallelism inside a node to pipeline stages on fewer GPUs", () => {
    const plan = planDeployment(environmentOf([poolOf("p5.48xlarge", 1)], [llama70b()]));
    expect(onlyModel(plan)).toMatchObject({ tensorParallel: 4, pipelineParallel: 1, gpusPerNode: 4 });
  });

  it("names the nearest shape, what it lacks and a shape that would do, for a model that fits nothing", () => {
    const pools = [poolOf("g6.xlarge", 2), poolOf("g6e.12xlarge", 1)];
    const [problem] = refusals(environmentOf(pools, [modelOf("deepseek-v3")]));
    const message = problem?.message ?? "";
    expect(message).toMatch(
      /fits no allowed pool\. Pool "g6e-12xlarge": nearest is .* of g6e\.12xlarge: .* GiB missing .* [\d.]+ GiB off/,
    );
    expect(message).toMatch(/pool "g6-xlarge": .* GiB missing/);
    expect(message).toMatch(/change pools\.g6e-12xlarge\.shape from g6e\.12xlarge to p\d\S+ \(8 × NVIDIA/);
  });

  it("shares the free GPUs of a node that runs anyway", () => {
    const models = [llama70b(), modelOf("qwen2.5-7b-instruct"), modelOf("bge-m3", { task: "embedding" })];
    const plan = planDeployment(environmentOf([poolOf("p5.48xlarge", 2), poolOf("g6.xlarge", 4)], models));
    expect(new Set(plan.models.map((m) => m.pool))).toEqual(new Set(["p5-48xlarge"]));
    expect(plan.pools.find((p) => p.name === "p5-48xlarge")).toMatchObject({
      minNodes: 1,
      gpusClaimed: 6,
      gpusTotal: 8,
    });
  });

  it("puts a small model on the cheapest machine that holds it", () => {
    const pools = [poolOf("p5.48xlarge", 1), poolOf("g6e.xlarge", 1), poolOf("g6e.12xlarge", 1)];
    const plan = planDeployment(environmentOf(pools, [modelOf("qwen2.5-7b-instruct", { concurrency: 4 })]));
    expect(onlyModel(plan).pool).toBe("g6e-xlarge");
    expect(plan.pools.map((p) => p.minNodes)).toEqual([2, 0, 1, 0]);
  });

  it("keeps a dedicated pool for the models it is dedicated to", () => {
    const [owner, guest] = [modelOf("qwen2.5-7b-instruct"), modelOf("llama-3.1-8b-instruct")];
    const reserved = poolOf("g6e.xlarge", 4, { name: "reserved", dedicatedTo: [owner.name], usdPerNodeHour: 0.1 });
    const shared = poolOf("g6e.12xlarge", 1, { name: "shared" });
    const plan = planDeployment(environmentOf([reserved, shared], [guest, owner]));
    expect(placement(plan)).toEqual({ [owner.name]: "reserved", [guest.name]: "shared" });
  });

  it("places a model only on the pools that it names", () => {
    const pools = [poolOf("g6e.xlarge", 1, { name: "cheap" }), poolOf("p5.48xlarge", 1, { name: "named" })];
    const plan = planDeployment(environmentOf(pools, [modelOf("qwen2.5-7b-instruct", { pools: ["named"] })]));
    expect(onlyModel(plan).pool).toBe("named");
  });

  it("refuses an engine whose image is not made for the CPU architecture of a pool", () => {
    const arm = { ...shapeNamed("VM.GPU.A10.1"), name: "arm-a10", cpu: { arch: "arm64", vcpus: 30 } } as const;
    const pool = poolOf("VM.GPU.A10.1", 1, { shape: { ...arm, gpu: { ...gpuOf(arm), vendor: "amd" } } });
    const [problem] = refusals(environmentOf([pool], [modelOf("qwen2.5-7b-instruct")]));
    expect(problem?.message).toContain("the image of vllm is not made for arm64, the CPU architecture of arm-a10");
  });

  it("runs Ollama on CPU nodes", () => {
    const pools = [poolOf("m7i.4xlarge", 2)];
    const model = onlyModel(planDeployment(environmentOf(pools, [ollama3b()])));
    expect(model).toMatchObject({ pool: "m7i-4xlarge", gpusPerNode: 0, nodesPerReplica: 1, tolerations: [] });
    expect(model.sizing).toBeUndefined();
    expect(model.resources.gpuResource).toBeUndefined();
    expect(model.resources.memoryGiB).toBeGreaterThanOrEqual(model.memoryPerGpu.totalGiB);
  });

  it.each([
    { shape: "m7i.4xlarge", cpuArch: "amd64" },
    { shape: "m7g.4xlarge", cpuArch: "arm64" },
  ])("runs vLLM on CPU nodes of $cpuArch: the pod holds weights, cache and processes", ({ shape, cpuArch }) => {
    const model = onlyModel(
      planDeployment(environmentOf([poolOf(shape, 2)], [modelOf("qwen2.5-0.5b-instruct", { concurrency: 4 })])),
    );
    expect(model).toMatchObject({
      cpuArch,
      gpusPerNode: 0,
      tensorParallel: 1,
      pipelineParallel: 1,
      nodesPerReplica: 1,
    });
    const { memoryPerGpu, resources, verdict } = model;
    // 0.92 GiB in bfloat16; 12 KiB for each of 4 × 8,192 tokens, and a page more.
    expect(memoryPerGpu.weightsGiB).toBeCloseTo(0.92, 1);
    expect(memoryPerGpu.kvCacheGiB).toBeCloseTo((4 * 8192 + 128) * 12 * 2 ** -20, 3);
    expect(resources).toMatchObject({ gpus: 0, sharedMemoryGiB: 1 });
    expect(resources.memoryGiB).toBeGreaterThanOrEqual(memoryPerGpu.totalGiB + verdict.intervalGiB.above + 1);
  });

  it("gives a pod that may sleep the memory for its weights, and refuses a node without it", () => {
    const asleep = { engineSettings: { sleepMode: true } };
    const plans = (shape: string, changes: object) =>
      planDeployment(
        environmentOf([poolOf(shape, 1)], [modelOf("qwen2.5-7b-instruct", { concurrency: 2, ...changes })]),
      );
    // 32 GiB beside 24 GiB of an L4: enough to run the model, and not to hold its 14 GiB besides.
    const machine = { card: "l4", gpuCount: 1, vcpus: 16, localNvmeGB: 500, networkGbps: 10 };
    const on = (memoryGiB: number, changes: object) => {
      const pool = { ...poolOf("g6.xlarge", 1), name: "l4", shape: onPremNode({ ...machine, memoryGiB }) };
      const model = modelOf("qwen2.5-7b-instruct", { concurrency: 2, ...changes });
      return planDeployment(environmentOf([pool], [model]));
    };
    expect(plans("g6e.2xlarge", asleep).problems).toEqual(plans("g6e.2xlarge", {}).problems);
    expect(on(20, {}).models).toHaveLength(1);
    const { models, problems } = on(20, asleep);
    expect(models).toEqual([]);
    expect(problems[0]?.message).toMatch(/vllm needs 2[0-9] GiB/);
    const [plan] = on(64, asleep).models;
    expect(plan?.resources.memoryGiB).toBeGreaterThanOrEqual((plan?.memoryPerGpu.weightsGiB ?? 64) + 6);
  });

  it("refuses an engine where its image is of another architecture, and says what to take", () => {
    const node = {
      card: "mi300x",
      gpuCount: 1,
      vcpus: 32,
      memoryGiB: 256,
      localNvmeGB: 4000,
      networkGbps: 10,
    };
    const pool = { ...poolOf("g6e.xlarge", 1), name: "arm", shape: onPremNode({ ...node, cpuArch: "arm64" }) };
    const [problem] = refusals(environmentOf([pool], [modelOf("qwen2.5-0.5b-instruct")]));
    expect(problem?.message).toContain("the image of vllm is not made for arm64");
    expect(problem?.message).toContain("take a pool of amd64 machines, or another engine");
  });

  it("runs Ollama on a GPU pool where there is one, and refuses a CPU node that is too small", () => {
    const pools = [poolOf("m7i.4xlarge", 1), poolOf("g6e.xlarge", 1)];
    expect(onlyModel(planDeployment(environmentOf(pools, [ollama3b()])))).toMatchObject({
      pool: "g6e-xlarge",
      gpusPerNode: 1,
    });
    const small = environmentOf([poolOf("m7i.large", 1)], [ollama3b()]);
    expect(refusals(small)[0]?.message).toMatch(/of host memory, m7i\.large leaves .*: .* GiB missing/);
  });

  it("leaves room for the platform on every node of an environment without a system pool", () => {
    const shape = onPremNode({ gpuCount: 0, vcpus: 16, memoryGiB: 21, localNvmeGB: 0, networkGbps: 10 });
    const pool = { ...poolOf("m7i.4xlarge", 1), name: "edge", shape };
    const beside = environmentOf([pool], [ollama3b()]);
    expect(onlyModel(planDeployment(beside)).pool).toBe("edge");
    const alone = { ...beside, pools: [pool] };
    expect(refusals(alone)[0]).toMatchObject({ rule: "model-fits" });
  });

  it("refuses a node whose CPUs are all taken, instead of a pod that never starts", () => {
    const shape = onPremNode({ gpuCount: 0, vcpus: 2, memoryGiB: 64, localNvmeGB: 0, networkGbps: 10 });
    const pool = { ...poolOf("m7i.4xlarge", 1), name: "edge", shape };
    const request = { ...environmentOf([], [ollama3b()]), pools: [pool] };
    expect(refusals(request)[0]).toMatchObject({ rule: "model-fits" });
    expect(refusals(request)[0]?.message).toContain("leaves 0.0 CPUs");
  });

  it("refuses a GPU node without the host memory or the CPUs to start an engine", () => {
    const on = (host: { vcpus: number; memoryGiB: number }) => {
      const shape = onPremNode({ card: "rtx-4090", gpuCount: 1, localNvmeGB: 500, networkGbps: 10, ...host });
      const pool = { ...poolOf("g6.xlarge", 1), name: "edge", shape };
      return { ...environmentOf([], [modelOf("llama-3.2-1b-instruct")]), pools: [pool] };
    };
    expect(onlyModel(planDeployment(on({ vcpus: 16, memoryGiB: 64 })))).toMatchObject({ pool: "edge", gpusPerNode: 1 });
    expect(refusals(on({ vcpus: 2, memoryGiB: 64 }))[0]?.message).toContain("leaves 0.0 CPUs and 52.7 GiB to models");
    expect(refusals(on({ vcpus: 16, memoryGiB: 12 }))[0]?.message).toContain("vllm needs 7 GiB");
  });

  it("spreads the layers of an Ollama model over the GPUs of one node, never over nodes", () => {
    const model = llama70b({ engine: "ollama", engineVersion: "0.32.15", quantization: "Q4_K_M", concurrency: 1 });
    const placed = onlyModel(planDeployment(environmentOf([poolOf("BM.GPU.A10.4", 4)], [model])));
    expect(placed).toMatchObject({ tensorParallel: 1, nodesPerReplica: 1, pipelineParallel: placed.gpusPerNode });
    expect(placed.gpusPerNode).toBeGreaterThan(1);
    const tooLarge = { ...model, concurrency: 64 };
    expect(refusals(environmentOf([poolOf("BM.GPU.A10.4", 4)], [tooLarge]))[0]?.message).not.toContain("maxNodes from");
  });

  it("refuses a machine that must not be used, with the reason", () => {
    const [problem] = refusals(environmentOf([poolOf("BM.GPU4.8", 1)], [modelOf("qwen2.5-7b-instruct")]));
    expect(problem?.message).toContain("BM.GPU4.8 cannot be used:");
  });

  it("refuses more context than the model has", () => {
    const request = environmentOf(
      [poolOf("p5.48xlarge", 1)],
      [modelOf("mixtral-8x7b-instruct", { contextTokens: 40_000 })],
    );
    expect(refusals(request)).toEqual([
      expect.objectContaining({
        rule: "context-length",
        message: expect.stringContaining("Write models.mixtral-8x7b-instruct.contextTokens: 32768, or less"),
      }),
    ]);
  });

  it("says that a pool is full when the models together need more nodes than it may have", () => {
    const models = ["one", "two"].map((name) => llama70b({ name, concurrency: 64 }));
    const plan = planDeployment(environmentOf([poolOf("p5.48xlarge", 1)], models));
    expect(plan.models).toHaveLength(1);
    expect(plan.problems).toEqual([expect.objectContaining({ rule: "pool-capacity", severity: "mandatory" })]);
    expect(plan.problems[0]?.message).toContain(
      'pool "p5-48xlarge" (maxNodes 1, used by one; a replica takes 8 GPU(s) on 1 node(s))',
    );
  });

  it("says of a full pool which others do not fit", () => {
    const big = ["one", "two"].map((name) => llama70b({ name, concurrency: 64 }));
    const pools = [poolOf("p5.48xlarge", 1), poolOf("g6.xlarge", 1)];
    const message = (request: PlanRequest) =>
      planDeployment(request).problems.find(({ rule }) => rule === "pool-capacity")?.message ?? "";
    const open = message(environmentOf(pools, big));
    expect(open).toContain('Pool "g6-xlarge" does not fit it: ');
    const named = message(
      environmentOf(
        pools,
        big.map((model) => ({ ...model, pools: ["p5-48xlarge"] })),
      ),
    );
    expect(named).not.toContain("g6-xlarge");
  });

  it("says that replicas.max can never be reached, and the nodes that it takes", () => {
    const model = llama70b({ minReplicas: 1, maxReplicas: 6 });
    const [problem] = refusals(environmentOf([poolOf("p5.48xlarge", 2)], [model]));
    expect(problem).toMatchObject({ rule: "pool-capacity" });
    expect(problem?.message).toContain("cannot reach replicas.max 6");
    expect(refusals(environmentOf([poolOf("p5.48xlarge", 3)], [model]))).toEqual([]);
    expect(problem?.message).toContain("Raise maxNodes to 3");
  });

  it("starts no node for a model that scales from zero", () => {
    const plan = planDeployment(
      environmentOf([poolOf("g6e.xlarge", 1)], [modelOf("qwen2.5-7b-instruct", { minReplicas: 0 })]),
    );
    expect(onlyModel(plan)).toMatchObject({ pool: "g6e-xlarge", hourlyUsd: 0, monthlyUsd: 0 });
    expect(plan.pools.find((p) => p.name === "g6e-xlarge")).toMatchObject({ minNodes: 0, gpusClaimed: 0 });
  });

  it("counts the batch that the user asks for, and keeps further flags and variables in the plan", () => {
    const memory = (args: ModelRequest["args"]) => {
      const model = modelOf("qwen2.5-7b-instruct", { args, env: { NCCL_DEBUG: "INFO" } });
      return onlyModel(planDeployment(environmentOf([poolOf("g6e.xlarge", 1)], [model])));
    };
    const usual = memory({ seed: 1 });
    expect(usual).toMatchObject({ args: { seed: 1 }, env: { NCCL_DEBUG: "INFO" } });
    const large = memory({ "max-num-batched-tokens": 65_536 }).memoryPerGpu;
    expect(large.overheadGiB).toBeGreaterThan(usual.memoryPerGpu.overheadGiB + 1);
    // The units of the engine: 64K is binary, 64k is decimal.
    expect(memory({ "max-num-batched-tokens": "64K" }).memoryPerGpu).toEqual(large);
    expect(memory({ "max-num-batched-tokens": "64k" }).memoryPerGpu.overheadGiB).toBeLessThan(large.overheadGiB);
  });

  it("compares the month with the budget", () => {
    const request = environmentOf([poolOf("p5.48xlarge", 1)], [llama70b()]);
    const { monthlyUsd } = planDeployment(request).cost;
    expect(refusals({ ...request, monthlyBudgetUsd: monthlyUsd })).toEqual([]);
    expect(refusals({ ...request, monthlyBudgetUsd: monthlyUsd - 100 })[0]).toMatchObject({
      rule: "monthly-budget",
      message: expect.stringContaining("100.00 over the budget"),
    });
  });

  it("advises host memory of twice the GPUs'", () => {
    const plan = planWithAdvice(environmentOf([poolOf("g6e.xlarge", 1)], [modelOf("qwen2.5-7b-instruct")]));
    expect(plan.problems.filter(({ rule }) => rule !== "single-store")).toEqual([
      expect.objectContaining({ rule: "host-memory", severity: "advisory", subject: "pools.g6e-xlarge" }),
    ]);
  });

  it("sizes the store for the models that go through it", () => {
    const plan = planDeployment(environmentOf([poolOf("g6e.xlarge", 3)], [modelOf("qwen2.5-7b-instruct"), ollama3b()]));
    expect(plan.models).toHaveLength(2);
    const stored = plan.models.filter((m) => m.engine === "vllm");
    expect(plan.storage.models).toEqual(stored.map((m) => m.name));
    expect(plan.storage.sizeGiB).toBe(stored[0]?.modelStorageGiB);
  });

  it("obeys pinned parallelism, and refuses what the model's heads do not allow", () => {
    const request = (changes: Partial<ModelRequest>) =>
      environmentOf([poolOf("p5.48xlarge", 1)], [modelOf("qwen2.5-7b-instruct", changes)]);
    const pinned = onlyModel(planDeployment(request({ tensorParallel: 2, pipelineParallel: 2 })));
    expect(pinned).toMatchObject({ tensorParallel: 2, pipelineParallel: 2, gpusPerNode: 4 });
    expect(refusals(request({ tensorParallel: 8 }))[0]?.message).toMatch(/TP 8 .* 28 attention heads/);
  });

  it("says which pinned parallelism would do, and not every matrix that the pinned one cuts", () => {
    const on = (shape: string, changes: Partial<ModelRequest>) =>
      refusals(environmentOf([poolOf(shape, 1)], [modelOf("qwen2.5-7b-instruct", changes)]))[0]?.message ?? "";
    const three = on("p5.48xlarge", { tensorParallel: 3 });
    expect(three).toContain(
      "To fix it:\n- write models.qwen2-5-7b-instruct.vllm.tensorParallel: 1, 2 or 4, or remove it",
    );
    expect(three).not.toContain("quantized model");
    expect(three).toMatch(/; and \d+ more reasons of this kind/);
    expect(three.split("TP 3 ").length - 1).toBe(3);
    expect(on("VM.GPU.A10.2", { tensorParallel: 3 })).toContain("tensorParallel: 1 or 2, or remove it");
    expect(on("p5.4xlarge", { pipelineParallel: 3 })).toContain("pipelineParallel: 1, or remove it");
    // Each value that is named works.
    for (const tensorParallel of [1, 2, 4]) {
      expect(on("p5.48xlarge", { tensorParallel })).toBe("");
    }
  });
});
