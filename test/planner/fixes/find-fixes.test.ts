import { describe, expect, it } from "vitest";
import { onPremNode } from "../../../catalog/shapes";
import { withFixes } from "../../../planner/fixes/find-fixes";
import { startSettings } from "../../../planner/fixes/start-settings";
import type { Decider, MemoryVerdict } from "../../../planner/memory/verdict";
import { planDeployment } from "../../../planner/plan";
import { planWithAdvice } from "../../../planner/plan-with-advice";
import type { ModelRequest, PlanRequest, PoolRequest } from "../../../planner/request";
import { SCALED_BY_DEFAULT, type ScalingRequest } from "../../../planner/scaling";
import type { CapacityProblem, DeploymentPlan } from "../../../planner/types";
import { environmentOf, modelOf, poolOf } from "../fixtures";
import { refusals } from "./refusals";

function onlyRefusal(request: PlanRequest): CapacityProblem {
  const found = refusals(planWithAdvice(request));
  expect(found).toHaveLength(1);
  return found[0] as CapacityProblem;
}

const llama70b = (changes: Partial<ModelRequest> = {}) =>
  modelOf("llama-3.3-70b-instruct", { name: "chat", ...changes });

describe("a model whose graphs and sampler find no room once the cache is full", () => {
  const tight = (changes: Partial<ModelRequest> = {}): PlanRequest => {
    const node = { gpuCount: 2, vcpus: 32, memoryGiB: 128, localNvmeGB: 500, networkGbps: 1 };
    const pool = poolOf("VM.GPU3.1", 1, {
      name: "gpu",
      shape: onPremNode({ card: "v100-16gb", ...node }),
      minNodes: 1,
      usdPerNodeHour: 0,
    });
    const model = modelOf("qwen2.5-7b-instruct", {
      name: "chat",
      engineVersion: "0.19.1",
      concurrency: 8,
      tensorParallel: 2,
      gpuMemoryUtilization: 0.9,
      ...changes,
    });
    return environmentOf([pool], [model]);
  };

  it("may take less of the card: the first part that starts", () => {
    const { fixes = [] } = onlyRefusal(tight());
    const path = "models.chat.vllm.gpuMemoryUtilization";
    expect(fixes).toContainEqual(expect.objectContaining({ path, from: 0.9, to: 0.85 }));
    const refusedWith = (part: number) => refusals(planDeployment(tight({ gpuMemoryUtilization: part }))).length;
    expect([0.9, 0.85].map(refusedWith)).toEqual([1, 0]);
  });
});

describe("a model that is refused", () => {
  it("is offered no CUDA graphs, and less of the card, only where what is allocated besides the load decides", () => {
    const pathsOf = (request: PlanRequest) => (onlyRefusal(request).fixes ?? []).map(({ path }) => path);
    const eager = "models.chat.args.enforce-eager";
    const pool = poolOf("VM.GPU.A10.1", 1, { name: "gpu", minNodes: 1 });
    const old = {
      name: "chat",
      engineVersion: "0.9.2",
      concurrency: 1,
      contextTokens: 4096,
      gpuMemoryUtilization: 0.97,
    };
    const ofGraphs = environmentOf([pool], [modelOf("qwen3-8b", old)]);
    expect(pathsOf(ofGraphs)).toContain(eager);
    const ofLoad = environmentOf(
      [pool],
      [modelOf("qwen3-8b", { ...old, contextTokens: 40_960, gpuMemoryUtilization: 0.9 })],
    );
    expect(pathsOf(ofLoad).join()).not.toMatch(/eager|gpuMemoryUtilization/);
  });

  it("is not planned again for settings that help where the load does not decide", () => {
    const plan = (decides: Decider) => {
      const verdict = { decides } as MemoryVerdict;
      return { unplaced: [{ name: "chat", nearest: { verdict } }] } as unknown as DeploymentPlan;
    };
    const model = modelOf("qwen3-8b", { name: "chat" });
    const request = environmentOf([], [model]);
    expect(startSettings(request, plan("one request"), model)).toEqual([]);
    expect(startSettings(request, plan("graph capture"), model).map(({ path }) => path)).toEqual([
      ...Array(4).fill("models.chat.vllm.gpuMemoryUtilization"),
      "models.chat.args.enforce-eager",
    ]);
  });
});

describe("a plan above its budget", () => {
  const request = environmentOf(
    [poolOf("g6e.12xlarge", 4)],
    [llama70b({ contextTokens: 16_384, concurrency: 8, maxReplicas: 1 })],
    { monthlyBudgetUsd: 10_000 },
  );

  it("names the smallest change of load that fits, and what it then costs", () => {
    const { fixes = [], message } = onlyRefusal(request);
    const concurrency = fixes.find((fix) => fix.path === "models.chat.concurrency");
    expect(concurrency).toMatchObject({ from: 8, to: expect.any(Number) });
    const to = Number(concurrency?.to);
    const at = (value: number) =>
      planDeployment({ ...request, models: [{ ...llama70b({ contextTokens: 16_384 }), concurrency: value }] });
    expect(refusals(at(to))).toEqual([]);
    expect(refusals(at(to + 1)).map((p) => p.rule)).toEqual(["monthly-budget"]);
    expect(at(to).cost.monthlyUsd).toBe(concurrency?.monthlyUsd);
    expect(message).toContain(`- lower models.chat.concurrency from 8 to ${to}: `);
  });

  it("says so when no single change suffices", () => {
    const { fixes, message } = onlyRefusal({ ...request, monthlyBudgetUsd: 100 });
    expect(fixes).toEqual([]);
    expect(message).toContain(
      "No single change fits. Lower several of replicas, minNodes and scaling.schedule, or raise the budget.",
    );
  });

  it("names the release where none is known of it, and no smaller model", () => {
    const unknown = llama70b({ engine: "ray", engineVersion: "2.24.0" });
    const { message } = onlyRefusal(environmentOf([poolOf("g6e.12xlarge", 1)], [unknown]));
    expect(message).toContain("take 2.56.0 or 2.60.0");
    expect(message).toContain(
      "No single change fits. Remove models.chat.engineVersion, or name a release that is known",
    );
    expect(message).not.toContain("smaller");
  });

  it("waits for the models that have no place: their cost is not in the bill yet", () => {
    const lost = { ...request, models: [...request.models, modelOf("deepseek-v3", { name: "lost" })] };
    const budget = refusals(planWithAdvice(lost)).find((p) => p.rule === "monthly-budget");
    expect(budget?.fixes).toBeUndefined();
    expect(budget?.message).toContain("Find a place first for lost: the cost will change.");
  });

  it("proposes to stop nodes that nobody needs", () => {
    const idle = environmentOf([poolOf("p5.48xlarge", 2, { minNodes: 2 })], [llama70b()], { monthlyBudgetUsd: 50_000 });
    expect(onlyRefusal(idle).fixes).toContainEqual(
      expect.objectContaining({ path: "pools.p5-48xlarge.minNodes", from: 2, to: 1 }),
    );
  });

  it("keeps a negotiated price: it proposes no other machine for that pool", () => {
    const own = { ...request, pools: request.pools.map((p) => ({ ...p, usdPerNodeHour: p.usdPerNodeHour * 0.9 })) };
    const paths = (onlyRefusal({ ...own, monthlyBudgetUsd: 9_000 }).fixes ?? []).map((fix) => fix.path);
    expect(paths).toContain("models.chat.concurrency");
    expect(paths).not.toContain("pools.g6e-12xlarge.shape");
  });
});

describe("room before the spike that costs too much", () => {
  it("may be given up", () => {
    const model = modelOf("llama-3.1-8b-instruct", {
      name: "chat",
      contextTokens: 4096,
      concurrency: 4,
      maxReplicas: 3,
      scaling: { ...SCALED_BY_DEFAULT, spareReplicas: 2 },
    });
    const request = environmentOf([poolOf("VM.GPU.A10.1", 3)], [model], { monthlyBudgetUsd: 4000 });
    expect(onlyRefusal(request).fixes).toContainEqual(
      expect.objectContaining({ path: "models.chat.scaling.spareReplicas", from: 2, to: 1 }),
    );
  });
});

describe("a model that does not fit", () => {
  // Two cards of 24 GiB, as in many a workshop.
  const own = onPremNode({
    card: "rtx-4090",
    gpuCount: 2,
    vcpus: 32,
    memoryGiB: 128,
    localNvmeGB: 2000,
    networkGbps: 10,
  });
  const two = poolOf("g6.12xlarge", 1, { shape: own, usdPerNodeHour: 0 });
  const wide = modelOf("qwen3-32b", {
    name: "chat",
    source: { kind: "huggingface", repository: "Qwen/Qwen3-32B", revision: "main" },
    contextTokens: 16_384,
    concurrency: 4,
  });
  const enginesOf = (model: ModelRequest) =>
    (onlyRefusal(environmentOf([two], [model])).fixes ?? []).filter(({ path }) => path === "models.chat.engine");

  it("may have another engine whose build the catalogue has, which is named with its format", () => {
    const { message, fixes } = onlyRefusal(environmentOf([two], [wide]));
    expect(fixes).toContainEqual(expect.objectContaining({ path: "models.chat.engine", from: "vllm", to: "ollama" }));
    expect(message).toContain("(qwen3:32b, Q4_K_M)");
  });

  it.each([
    ["with the same weights, though one with others costs less by cents", 0.16, null],
    ["with other weights where that saves more than a dollar", 1.5, "ollama"],
  ])("may have another engine %s", (_, savedUsd, to) => {
    const model = modelOf("llama-3.1-8b-instruct", {
      name: "chat",
      engine: "ray",
      engineVersion: "2.56.0",
      source: { kind: "huggingface", repository: "meta-llama/Llama-3.1-8B-Instruct", revision: "main" },
      minReplicas: 3,
      maxReplicas: 3,
      serviceLevel: { availability: 0.999 },
    });
    const request = environmentOf([poolOf("g6e.4xlarge", 8, { name: "l40s", zones: 3, minNodes: 3 })], [model]);
    const again = (changed: PlanRequest): DeploymentPlan => {
      const plan = planDeployment(changed);
      const saved = changed.models.some(({ engine }) => engine === "ollama") ? savedUsd : 0;
      return { ...plan, cost: { ...plan.cost, monthlyUsd: plan.cost.monthlyUsd - saved } };
    };
    const problems = withFixes({ request, plan: planDeployment(request), again });
    const fixes = problems.flatMap((problem) => problem.fixes ?? []);
    expect(fixes.filter(({ path }) => path === "models.chat.engine")).toMatchObject([{ from: "ray", to }]);
  });

  it("may have no second node in a cluster of one machine", () => {
    const pathsOn = (most: PoolRequest["most"]) => {
      const pool = poolOf("g6e.4xlarge", 1, { name: "gpu", minNodes: 1, ...(most && { most }) });
      const model = modelOf("llama-3.1-8b-instruct", { name: "chat", minReplicas: 2, maxReplicas: 2 });
      return (onlyRefusal(environmentOf([pool], [model])).fixes ?? []).map(({ path }) => path);
    };
    expect(pathsOn(undefined)).toContain("pools.gpu.maxNodes");
    expect(pathsOn({ nodes: 1, zones: 1 })).not.toContain("pools.gpu.maxNodes");
  });

  it("keeps its engine where the file says more than another one would read", () => {
    expect(enginesOf(wide)).toHaveLength(1);
    expect(enginesOf({ ...wide, args: { "enable-prefix-caching": false } })).toEqual([]);
    expect(enginesOf({ ...wide, kvCacheDtype: "fp8" })).toEqual([]);
    expect(enginesOf({ ...wide, engineVersion: "0.30.0" })).toEqual([]);
  });

  it("may become fp8 on cards that have it, and not on those that have not", () => {
    const on = (shape: string, model: ModelRequest) =>
      (onlyRefusal(environmentOf([poolOf(shape, 1)], [model])).fixes ?? []).map((fix) => [fix.path, fix.to]);
    const large = llama70b({ concurrency: 1, contextTokens: 2048 });
    expect(on("g7e.2xlarge", large)).toContainEqual(["models.chat.quantization", "fp8"]);
    const small = modelOf("llama-3.1-8b-instruct", { name: "chat", concurrency: 1, contextTokens: 2048 });
    expect(on("VM.GPU3.1", small)).not.toContainEqual(["models.chat.quantization", "fp8"]);
  });

  it("may have fewer replicas, at least and at most where the configuration says one number", () => {
    const pool = poolOf("p5.48xlarge", 1);
    const pathsOf = (changes: Partial<ModelRequest>) =>
      (onlyRefusal(environmentOf([pool], [llama70b(changes)])).fixes ?? []).map(({ path, from, to }) => [
        path,
        from,
        to,
      ]);
    expect(pathsOf({ minReplicas: 8, maxReplicas: 8 })).toContainEqual(["models.chat.replicas", 8, 2]);
    const scaled = { minReplicas: 1, maxReplicas: 8, scaling: SCALED_BY_DEFAULT };
    expect(pathsOf(scaled)).toContainEqual(["models.chat.replicas.max", 8, 2]);
    // Not below what the clock asks for, or what is kept ready.
    const schedule = [{ from: "0 8 * * *", to: "0 18 * * *", timezone: "UTC", replicas: 3 }];
    const pathsWith = (scaling: Partial<ScalingRequest>) =>
      pathsOf({ ...scaled, scaling: { ...SCALED_BY_DEFAULT, ...scaling } }).map(([path]) => path);
    expect(pathsWith({ schedule: schedule.map((window) => ({ ...window, replicas: 2 })) })).toContain(
      "models.chat.replicas.max",
    );
    expect(pathsWith({ schedule })).not.toContain("models.chat.replicas.max");
    expect(pathsWith({ spareReplicas: 1 })).toContain("models.chat.replicas.max");
    expect(pathsWith({ spareReplicas: 2 })).not.toContain("models.chat.replicas.max");
  });

  it("loses a pin that its heads do not allow", () => {
    const { fixes, message } = onlyRefusal(
      environmentOf([poolOf("p5.48xlarge", 1)], [llama70b({ tensorParallel: 3 })]),
    );
    expect(fixes).toContainEqual(
      expect.objectContaining({ path: "models.chat.vllm.tensorParallel", from: 3, to: null }),
    );
    // The planner knows all values that would do: they are named instead.
    expect(message).toMatch(/^- write models\.chat\.vllm\.tensorParallel: 1, 2, 4 or 8, or remove it$/m);
  });

  it("may use a pool that it does not name", () => {
    const pools = [poolOf("g6.xlarge", 1, { name: "small" }), poolOf("p5.48xlarge", 1, { name: "large" })];
    expect(onlyRefusal(environmentOf(pools, [llama70b({ pools: ["small"] })])).fixes).toContainEqual(
      expect.objectContaining({ path: "models.chat.pools", from: ["small"], to: ["small", "large"] }),
    );
  });

  it("costs nothing to mention on machines of one's own", () => {
    const free = poolOf("g6e.12xlarge", 1, { usdPerNodeHour: 0 });
    const request = { ...environmentOf([], [llama70b({ concurrency: 64 })]), pools: [free] };
    expect(onlyRefusal(request).message).toMatch(/lower models\.chat\.concurrency from 64 to \d+$/m);
  });
});
