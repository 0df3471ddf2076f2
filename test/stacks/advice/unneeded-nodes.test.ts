import { describe, expect, it } from "vitest";
import { unneededNodes } from "../../../stacks/advice/unneeded-nodes";
import { changedPlan } from "../planned";

async function advised(pools: object, changes: object = {}) {
  return unneededNodes(await changedPlan("aws-prod", { pools, budget: { monthlyUsd: 500_000 }, ...changes }));
}

const POOLS = {
  system: { shape: "m7i.2xlarge", minNodes: 3, maxNodes: 6 },
  h100: { shape: "p5.48xlarge", minNodes: 1, maxNodes: 4 },
  l40s: { shape: "g6e.4xlarge", minNodes: 2, maxNodes: 4 },
  l4: { shape: "g6.4xlarge", minNodes: 4, maxNodes: 8 },
};

describe("nodes that Karpenter will not make", () => {
  it("are those beyond what a pool's replicas fit on", async () => {
    expect(await advised({ ...POOLS, h100: { ...POOLS.h100, minNodes: 3 } })).toEqual([
      {
        severity: "advisory",
        rule: "unneeded-nodes",
        subject: "pools.h100.minNodes",
        message: expect.stringMatching(/^3 nodes, and the replicas of its models fit on 1: .* Write minNodes: 1\.$/),
      },
    ]);
  });

  it("are none where pods hold them for spare replicas", async () => {
    const model = { model: "llama-3.3-70b-instruct", contextTokens: 32768, concurrency: 8, pools: ["h100"] };
    const llama = { ...model, replicas: { min: 2, max: 4 } };
    const spare = { "llama-70b": { ...llama, scaling: { spareReplicas: 2 } } };
    expect(
      await advised(
        {
          ...POOLS,
          l40s: { ...POOLS.l40s, minNodes: 0 },
          l4: { ...POOLS.l4, minNodes: 0 },
          h100: { ...POOLS.h100, minNodes: 2 },
        },
        { models: spare },
      ),
    ).toEqual([]);
  });

  it("are none where a promised availability takes them, as many as the advice then names", async () => {
    const model = { model: "llama-3.3-70b-instruct", contextTokens: 32768, concurrency: 8, pools: ["h100"] };
    const models = {
      "llama-70b": { ...model, replicas: { min: 2, max: 2 }, serviceLevel: { availability: 0.999 } },
    };
    const others = { l40s: { ...POOLS.l40s, minNodes: 0 }, l4: { ...POOLS.l4, minNodes: 0 } };
    const having = (minNodes: number) =>
      advised({ ...POOLS, ...others, h100: { ...POOLS.h100, minNodes } }, { models });
    expect([await having(1), await having(2)]).toEqual([[], []]);
    expect(await having(3)).toMatchObject([
      { subject: "pools.h100.minNodes", message: expect.stringMatching(/^3 nodes, .* fit on 2: .* minNodes: 2\.$/) },
    ]);
  });

  it("are none where replicas need them all, and none of a node group's", async () => {
    expect(await advised(POOLS)).toEqual([]);
    const system = { ...POOLS.system, minNodes: 6 };
    const reserved = {
      ...POOLS.h100,
      minNodes: 3,
      maxNodes: 3,
      capacity: { reservation: "cr-0123456789abcdef0" },
      zones: ["us-east-1a"],
    };
    expect(await advised({ ...POOLS, system, h100: reserved })).toEqual([]);
  });
});
