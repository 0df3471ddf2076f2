import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shapes } from "../../../catalog/shapes";
import {
  deleteTimeout,
  disruption,
  nodeLimits,
  type RunningModel,
  terminationGracePeriod,
} from "../../../components/autoscaling/node-limits";
import { eksPool } from "../../harness/eks-pools";
import { runningModel } from "./fixture";

const AMAZONS = shapes.filter(({ provider, denied }) => provider === "aws" && denied === undefined);
const aShape = fc.constantFrom(...AMAZONS.map(({ name }) => name));
const aModel = fc
  .record({
    nodesPerReplica: fc.integer({ min: 1, max: 4 }),
    startupBudgetSeconds: fc.integer({ min: 0, max: 20_000 }),
    drainSeconds: fc.integer({ min: 0, max: 3600 }),
    gpus: fc.integer({ min: 0, max: 8 }),
  })
  .map(({ gpus, ...changes }) => runningModel({ ...changes, resources: { ...runningModel().resources, gpus } }));
const someModels = fc.array(aModel, { maxLength: 4 });

/** How many nodes Karpenter makes: each only where all of its capacity is left (scheduler.go, filterByRemainingResources). */
function nodesAdmitted(limits: Readonly<Record<string, string>>, capacity: Readonly<Record<string, number>>): number {
  const left = Object.fromEntries(Object.entries(limits).map(([key, value]) => [key, Number(value)]));
  for (let nodes = 0; ; nodes++) {
    for (const [key, remaining] of Object.entries(left)) {
      if ((capacity[key] ?? 0) > remaining) {
        return nodes;
      }
      left[key] = remaining - (capacity[key] ?? 0);
    }
  }
}

function seconds(duration: string): number {
  expect(duration).toMatch(/^\d+m$/);
  return Number.parseInt(duration, 10) * 60;
}

describe("limits of a NodePool", () => {
  it("admit the pool's nodes and not one more", () => {
    fc.assert(
      fc.property(aShape, fc.integer({ min: 1, max: 1000 }), (shape, karpenterNodes) => {
        const pool = eksPool(shape, {}, { karpenterNodes });
        const { cpu, gpu } = pool.plan.shape;
        const capacity = { cpu: cpu.vcpus, ...(gpu && { [gpu.resource]: gpu.count }) };
        expect(nodesAdmitted(nodeLimits(pool), capacity)).toBe(karpenterNodes);
      }),
    );
  });

  it("count GPUs where nodes do", () => {
    expect(nodeLimits(eksPool("p5.48xlarge", {}, { karpenterNodes: 2 }))).toEqual({
      cpu: "384",
      "nvidia.com/gpu": "16",
    });
    const turns = { sharing: { timeSlicing: { replicas: 4 } } } as const;
    expect(nodeLimits(eksPool("g6.4xlarge", turns, { karpenterNodes: 2 }))).toEqual({ cpu: "32" });
    expect(nodeLimits(eksPool("m7i.2xlarge", {}, { karpenterNodes: 3 }))).toEqual({ cpu: "24" });
  });
});

describe("disruption", () => {
  const p5 = eksPool("p5.48xlarge");

  it("keeps an idle node as long as the slowest model of its pool takes to start, within bounds", () => {
    const idle = (models: readonly RunningModel[]) => disruption(p5, models).consolidateAfter;
    expect(idle([])).toBe("5m");
    expect(idle([runningModel({ startupBudgetSeconds: 90 })])).toBe("5m");
    expect(idle([runningModel(), runningModel({ startupBudgetSeconds: 1201 })])).toBe("21m");
    expect(idle([runningModel({ startupBudgetSeconds: 1201, pool: "other" })])).toBe("5m");
    expect(idle([runningModel({ startupBudgetSeconds: 9000 })])).toBe("60m");
  });

  it("takes a node from under a running model only for another image, and never from one that spans nodes", () => {
    expect(disruption(p5, [runningModel()])).toEqual({
      consolidationPolicy: "WhenEmpty",
      consolidateAfter: "10m",
      budgets: [
        { nodes: "1", reasons: ["Underutilized", "Drifted"] },
        { nodes: "100%", reasons: ["Empty"] },
      ],
    });
    expect(disruption(p5, [runningModel(), runningModel({ nodesPerReplica: 2 })]).budgets).toEqual([
      { nodes: "0", reasons: ["Underutilized", "Drifted"] },
      { nodes: "100%", reasons: ["Empty"] },
    ]);
  });

  it("lets system nodes go that others have room for", () => {
    expect(disruption(eksPool("m7i.2xlarge"), []).consolidationPolicy).toBe("WhenEmptyOrUnderutilized");
  });

  it("always says a duration within bounds, and lets idle nodes of any pool go", () => {
    fc.assert(
      fc.property(aShape, someModels, (shape, models) => {
        const { consolidateAfter, budgets } = disruption(eksPool(shape), models);
        expect(seconds(consolidateAfter)).toBeGreaterThanOrEqual(300);
        expect(seconds(consolidateAfter)).toBeLessThanOrEqual(3600);
        const ofIdle = budgets.filter(({ reasons }) => reasons === undefined || reasons.includes("Empty"));
        expect(ofIdle.map(({ nodes }) => nodes)).toEqual(["100%"]);
      }),
    );
  });
});

describe("the grace period of a node that goes", () => {
  it("is time for its replicas to start elsewhere one after the other, and to finish what they answer", () => {
    const p5 = eksPool("p5.48xlarge");
    const four = { resources: { ...runningModel().resources, gpus: 4 } };
    expect(terminationGracePeriod(p5, [runningModel(four)])).toBe("22m");
    expect(terminationGracePeriod(p5, [])).toBe("15m");
    expect(terminationGracePeriod(p5, [runningModel({ ...four, serverOf: "other" })])).toBe("15m");
  });

  it("of a system node is longer than that of the gateway's proxies, by what all else takes to leave", () => {
    const system = eksPool("m7i.2xlarge", { role: "system" });
    const grace = seconds(terminationGracePeriod(system, [runningModel({ drainSeconds: 3600, pool: "other" })]));
    expect(grace).toBe(900 + 3600 + 300);
    expect(terminationGracePeriod(system, [])).toBe("20m");
  });

  it("is never shorter than the start and drain of any model of the pool", () => {
    fc.assert(
      fc.property(aShape, someModels, (shape, models) => {
        const period = seconds(terminationGracePeriod(eksPool(shape), models));
        for (const { startupBudgetSeconds, drainSeconds } of models) {
          expect(period).toBeGreaterThanOrEqual(startupBudgetSeconds + drainSeconds);
        }
      }),
    );
  });
});

describe("the time that the deletion of what makes nodes has", () => {
  it("is an hour, and more where nodes may wait longer for their pods", () => {
    const p5 = eksPool("p5.48xlarge");
    expect(deleteTimeout(p5, [])).toBe("60m");
    const slow = runningModel({ startupBudgetSeconds: 3000, drainSeconds: 600 });
    expect(terminationGracePeriod(p5, [slow])).toBe("480m");
    expect(deleteTimeout(p5, [slow])).toBe("510m");
  });

  it("is half an hour beyond the grace of any pool's nodes, and never less than an hour", () => {
    fc.assert(
      fc.property(aShape, someModels, (shape, models) => {
        const pool = eksPool(shape);
        const timeout = seconds(deleteTimeout(pool, models));
        expect(timeout).toBeGreaterThanOrEqual(3600);
        expect(timeout).toBeGreaterThanOrEqual(seconds(terminationGracePeriod(pool, models)) + 1800);
      }),
    );
  });
});
