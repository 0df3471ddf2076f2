import { describe, expect, it } from "vitest";
import { planWithAdvice } from "../../../planner/plan-with-advice";
import type { PlanRequest } from "../../../planner/request";
import { environmentOf, modelOf, poolOf } from "../fixtures";

const advice = (request: PlanRequest, rule: string) => planWithAdvice(request).problems.filter((p) => p.rule === rule);

describe("idle nodes", () => {
  const pools = [
    poolOf("BM.GPU.H100.8", 1, { name: "h100", minNodes: 1 }),
    poolOf("BM.GPU.H200.8", 1, { name: "h200", minNodes: 1 }),
  ];
  const model = modelOf("llama-3.3-70b-instruct", { name: "chat", concurrency: 64, contextTokens: 32_768 });

  it("are named with what minNodes: 0 saves", () => {
    expect(advice(environmentOf(pools, [{ ...model, pools: ["h200"] }]), "idle-nodes")).toEqual([
      {
        severity: "advisory",
        rule: "idle-nodes",
        subject: "pools.h100.minNodes",
        message: expect.stringMatching(
          /^1 of 1 node\(s\) of BM\.GPU\.H100\.8 hold no model, for 58,400 of 117,\d{3} USD a month\. minNodes: 0 saves that/,
        ),
      },
    ]);
  });

  it("are not there where every node holds a model, where they cost nothing, or in a pool of the platform", () => {
    const used = environmentOf([poolOf("BM.GPU.H200.8", 1, { minNodes: 1 })], [model]);
    const free = environmentOf([poolOf("BM.GPU.H100.8", 2, { minNodes: 2, usdPerNodeHour: 0 })], [model]);
    expect([...advice(used, "idle-nodes"), ...advice(free, "idle-nodes")]).toEqual([]);
  });

  it("are not those that a model would leave for a cheaper pool", () => {
    const both = [poolOf("g6e.xlarge", 1, { name: "cheap" }), poolOf("p5.48xlarge", 1, { name: "paid", minNodes: 1 })];
    const small = modelOf("qwen2.5-7b-instruct", { concurrency: 4 });
    const plan = planWithAdvice(environmentOf(both, [small]));
    expect(plan.models[0]?.pool).toBe("paid");
    expect(plan.problems.filter((p) => p.rule === "idle-nodes")).toEqual([]);
  });

  it("are not a matter for a plan that is refused", () => {
    const refused = environmentOf(pools, [{ ...model, pools: ["h200"] }], { monthlyBudgetUsd: 10 });
    expect(advice(refused, "idle-nodes")).toEqual([]);
  });
});

describe("a cheaper machine", () => {
  const embeddings = modelOf("bge-m3", { name: "embeddings", task: "embedding" });

  it("is named for a small model on a huge card, with what it saves", () => {
    const [found, ...others] = advice(environmentOf([poolOf("p5en.48xlarge", 1)], [embeddings]), "cheaper-machine");
    expect(others).toEqual([]);
    expect(found).toMatchObject({ severity: "advisory", subject: "pools.p5en-48xlarge.shape" });
    expect(found?.message).toMatch(
      /^embeddings takes 1\.\d of 12\d\.\d GiB of a GPU of p5en\.48xlarge\. On \S+ \(1 × NVIDIA .+\) the same models fit, for 4\d,\d{3} USD a month less\./,
    );
    expect(found?.message).toContain("Memory alone is compared");
  });

  it("is named where most GPUs are free, and holds what it promises", () => {
    const request = environmentOf(
      [poolOf("BM.GPU.A10.4", 1, { name: "a10" })],
      [modelOf("qwen2.5-7b-instruct", { concurrency: 4 })],
    );
    const [found] = advice(request, "cheaper-machine");
    expect(found?.message).toContain("models claim 1 of 4 GPUs of BM.GPU.A10.4. On VM.GPU.A10.1 (1 × NVIDIA A10)");
    const smaller = environmentOf([poolOf("VM.GPU.A10.1", 1)], request.models);
    const saved = planWithAdvice(request).cost.monthlyUsd - planWithAdvice(smaller).cost.monthlyUsd;
    expect(found?.message).toContain(`for ${saved.toLocaleString("en-US", { maximumFractionDigits: 0 })} USD`);
  });

  it("is not named where the GPUs are put to use, nor for a price of one's own", () => {
    const used = environmentOf([poolOf("VM.GPU.A10.1", 1)], [modelOf("qwen2.5-7b-instruct", { concurrency: 4 })]);
    const own = environmentOf([poolOf("p5en.48xlarge", 1, { usdPerNodeHour: 10 })], [embeddings]);
    expect([...advice(used, "cheaper-machine"), ...advice(own, "cheaper-machine")]).toEqual([]);
  });
});

describe("replicas on the RDMA network", () => {
  const large = modelOf("llama-3.1-405b-instruct");
  const rules = (changes: Parameters<typeof poolOf>[2]) => {
    const request = environmentOf([poolOf("BM.GPU.H100.8", 2, { name: "h100", ...changes })], [large]);
    return planWithAdvice(request).problems.filter(({ rule }) => ["host-network", "network-blocks"].includes(rule));
  };

  it("are named where they are on the network of their nodes, outside of NetworkPolicies", () => {
    expect(rules({ rdmaAccess: "host-network" })).toEqual([
      {
        severity: "advisory",
        rule: "host-network",
        subject: `models.${large.name}`,
        message: expect.stringMatching(/no NetworkPolicy holds them.* pools\.h100\.rdma\.access: virtual-functions\.$/),
      },
    ]);
    expect(rules({ rdmaAccess: "virtual-functions" })).toEqual([]);
  });

  it("are named with the blocks that they need, where each is to have its own", () => {
    expect(rules({ rdmaAccess: "virtual-functions", rdmaTopologyLabel: "example.com/block" })).toEqual([
      {
        severity: "advisory",
        rule: "network-blocks",
        subject: "pools.h100.rdma.topologyLabel",
        message: expect.stringMatching(
          /1 value\(s\) of example\.com\/block .* 2 free nodes .*kubectl get nodes -L \S+$/,
        ),
      },
    ]);
  });

  it("are told that nothing sets the label where the nodes are made here", () => {
    const [problem] = rules({
      rdmaAccess: "virtual-functions",
      rdmaTopologyLabel: "example.com/block",
      nodesMadeHere: true,
    });
    expect(problem?.message).toMatch(/a node without it gets no replica: install .*, or remove topologyLabel\.$/);
    const [oracles] = rules({
      rdmaAccess: "virtual-functions",
      rdmaTopologyLabel: "oci.oraclecloud.com/rdma.local_block_id",
      nodesMadeHere: true,
    });
    expect(oracles?.message).toMatch(
      /Nodes get it when they boot, from their metadata: .* gets none, and no replica\.$/,
    );
  });
});

describe("machines that cost nothing", () => {
  const model = modelOf("qwen2.5-7b-instruct", { name: "chat" });
  const told = (pool: object, changes: object) =>
    advice(environmentOf([poolOf("g6e.xlarge", 1, { name: "gpu", ...pool })], [model], changes), "unpriced-machines");

  it("are named under a budget, with their list price", () => {
    const [found, ...others] = told({ usdPerNodeHour: 0 }, { monthlyBudgetUsd: 3000 });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ severity: "advisory", subject: "pools.gpu.usdPerNodeHour" });
    expect(found?.message).toMatch(/the budget does not limit them\. Its list price is [12]\.\d\d USD an hour/);
  });

  it("are no matter without a budget, nor those that cost something", () => {
    expect(told({ usdPerNodeHour: 0 }, {})).toEqual([]);
    expect(told({}, { monthlyBudgetUsd: 3000 })).toEqual([]);
  });
});
