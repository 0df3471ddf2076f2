/** Levels and traffic through whole plans: layouts, replicas and prices that people read. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FitCache } from "../../../planner/fit-cache";
import { confirmedPlaces } from "../../../planner/level/confirmed-places";
import { planWithAdvice } from "../../../planner/plan-with-advice";
import type { ModelRequest, PlanRequest } from "../../../planner/request";
import type { ServiceLevel } from "../../../planner/service-level";
import type { Traffic } from "../../../planner/traffic";
import type { DeploymentPlan, ModelPlan } from "../../../planner/types";
import { atNight } from "../../harness/property-runs";
import { environmentOf, modelOf, poolOf } from "../fixtures";

const PEOPLE: Traffic = {
  requestsPerSecond: 1,
  peakFactor: 2,
  inputTokens: 1000,
  outputTokens: 300,
  sharedPrefixTokens: 0,
  lengthVariation: 1,
};
const SECONDS_PER_MONTH = 730 * 3600;

const POOLS = [poolOf("g6e.12xlarge", 100), poolOf("p5.48xlarge", 20)];

const traffic = (): fc.Arbitrary<Traffic> =>
  fc.record({
    requestsPerSecond: fc.double({ min: 0.01, max: 20, noNaN: true }),
    peakFactor: fc.double({ min: 1, max: 4, noNaN: true }),
    inputTokens: fc.integer({ min: 50, max: 3000 }),
    outputTokens: fc.integer({ min: 10, max: 1000 }),
    sharedPrefixTokens: fc.constantFrom(0, 40),
    lengthVariation: fc.constantFrom(0, 0.5, 1),
  });

const levels = (): fc.Arbitrary<ServiceLevel> =>
  fc.record({
    ttftMs: fc.integer({ min: 3000, max: 60_000 }),
    tpotMs: fc.integer({ min: 60, max: 500 }),
    confidence: fc.constantFrom(0.5, 0.8, 0.95),
  });

function request(changes: Partial<ModelRequest>): PlanRequest {
  const derived = ["replicas", "concurrency"] as const;
  return environmentOf(POOLS, [modelOf("qwen2.5-7b-instruct", { name: "chat", derived, ...changes })]);
}

const refusals = ({ problems }: DeploymentPlan) => problems.filter(({ severity }) => severity === "mandatory");

function planned(plan: DeploymentPlan): ModelPlan & { speed: NonNullable<ModelPlan["speed"]> } {
  const [model] = plan.models;
  if (model?.speed === undefined) {
    throw new Error(plan.problems.map(({ message }) => message).join("\n"));
  }
  return { ...model, speed: model.speed };
}

describe("a plan for traffic", () => {
  it("answers the peak within the level, with the replicas, the capacity, the headroom and the price that it says", () => {
    fc.assert(
      fc.property(traffic(), levels(), (asked, serviceLevel) => {
        const plan = planWithAdvice(request({ traffic: asked, serviceLevel }));
        fc.pre(plan.unplaced.length === 0);
        const { speed, tokenPrice, maxReplicas, minReplicas, monthlyUsd } = planned(plan);
        const { capacity, headroom = -1, neededReplicas } = speed;
        const peak = asked.requestsPerSecond * asked.peakFactor;
        expect([minReplicas, maxReplicas]).toEqual([neededReplicas, neededReplicas]);
        expect(maxReplicas * (capacity?.requestsPerSecond ?? 0)).toBeGreaterThanOrEqual(peak * (1 - 1e-6));
        expect(headroom).toBeCloseTo(1 - peak / maxReplicas / (capacity?.requestsPerSecond ?? 0), 6);
        expect([speed.saturated, speed.load]).toEqual([false, "traffic"]);
        expect(speed.requestsPerSecond.expected).toBeCloseTo(peak / maxReplicas, 6);
        // Capacity times price is what the machines cost; so is traffic times its own.
        const { usdPerMillionTokens = 0, atCapacityUsdPerMillionTokens = 0 } = tokenPrice ?? {};
        const monthly = (rate: number, usd: number) =>
          (rate * SECONDS_PER_MONTH * (asked.inputTokens + asked.outputTokens) * usd) / 1e6;
        const most = maxReplicas * (capacity?.requestsPerSecond ?? 0);
        expect(monthly(most, atCapacityUsdPerMillionTokens) / monthlyUsd).toBeCloseTo(1, 6);
        expect(monthly(asked.requestsPerSecond, usdPerMillionTokens) / monthlyUsd).toBeCloseTo(1, 6);
      }),
      { numRuns: atNight(15, 5) },
    );
  }, 60_000);

  it("never costs less for more requests, or at a higher confidence", () => {
    fc.assert(
      fc.property(traffic(), levels(), fc.double({ min: 1.5, max: 8, noNaN: true }), (asked, level, factor) => {
        const costOf = (more: number, confidence: number) => {
          const grown = { ...asked, requestsPerSecond: asked.requestsPerSecond * more };
          const plan = planWithAdvice(request({ traffic: grown, serviceLevel: { ...level, confidence } }));
          return plan.unplaced.length === 0 ? plan.cost.monthlyUsd : Number.POSITIVE_INFINITY;
        };
        const cost = costOf(1, 0.8);
        expect(costOf(factor, 0.8)).toBeGreaterThanOrEqual(cost);
        expect(costOf(1, 0.95)).toBeGreaterThanOrEqual(cost);
      }),
      { numRuns: atNight(8, 3) },
    );
  }, 60_000);

  it("keeps the pods of a split model, whose speed nobody predicts", () => {
    const engineSettings = { prefillDecode: { prefill: 2, decode: 1 } };
    const split = { derived: ["concurrency"] as const, minReplicas: 3, maxReplicas: 3, engineSettings };
    const { models } = planWithAdvice(request({ traffic: PEOPLE, serviceLevel: { tpotMs: 60 }, ...split }));
    expect(models.map(({ minReplicas, maxReplicas }) => [minReplicas, maxReplicas])).toEqual([[3, 3]]);
    expect([models[0]?.speed, models[0]?.noSpeed]).toEqual([undefined, expect.stringContaining("was not measured")]);
  });

  it("is the same plan each time", () => {
    const asked = request({ traffic: PEOPLE, serviceLevel: { ttftMs: 3000, tpotMs: 60 } });
    expect(planWithAdvice(asked)).toEqual(planWithAdvice(asked));
  });

  it("has a replica to spare where availability is promised", () => {
    const level = { ttftMs: 5000, tpotMs: 100 };
    const { speed, maxReplicas } = planned(
      planWithAdvice(request({ traffic: PEOPLE, serviceLevel: { ...level, availability: 0.999 } })),
    );
    expect(maxReplicas).toBe((speed.neededReplicas ?? 0) + 1);
  });

  it("refuses fewer replicas than the peak takes, and is planned with those that it names", () => {
    const serviceLevel = { ttftMs: 10_000, tpotMs: 100 };
    const fixed = (maxReplicas: number): PlanRequest => {
      const model = { ...asked, serviceLevel, minReplicas: 1, maxReplicas, pipelineParallel: 1 };
      return environmentOf([poolOf("g6e.4xlarge", 500)], [modelOf("qwen2.5-7b-instruct", { name: "chat", ...model })]);
    };
    const asked = { traffic: { ...PEOPLE, requestsPerSecond: 30 } };
    const [problem] = planWithAdvice(fixed(1)).problems;
    expect(problem).toMatchObject({ severity: "mandatory", rule: "service-level", subject: "models.chat" });
    expect(problem?.message).toMatch(
      /needs \d+ replicas for 60 requests\/s .* \(TP 1\) answers [\d.]+ requests\/s within 100 ms per token/,
    );
    const most = Number(/replicas: \{min: 1, max: (\d+)\}/.exec(problem?.message ?? "")?.[1]);
    expect(refusals(planWithAdvice(fixed(most)))).toEqual([]);
    expect(refusals(planWithAdvice(fixed(most - 1)))).toHaveLength(1);
  });

  it("goes where its replicas answer the peak before it goes where they cost less", () => {
    const asked = { traffic: { ...PEOPLE, requestsPerSecond: 2 }, serviceLevel: { ttftMs: 10_000, tpotMs: 100 } };
    const one = modelOf("qwen2.5-7b-instruct", { name: "chat", concurrency: 2, ...asked });
    const pools = [poolOf("g4dn.xlarge", 1), poolOf("g6.4xlarge", 1), poolOf("p5.48xlarge", 1)];
    const plan = planWithAdvice(environmentOf(pools, [{ ...one, maxReplicas: 1 }]));
    expect([plan.models[0]?.pool, refusals(plan)]).toEqual(["p5-48xlarge", []]);
    const { traffic: _, ...still } = one;
    expect(planWithAdvice(environmentOf(pools, [still])).models[0]?.pool).toBe("g6-4xlarge");
  });

  it("says nothing of levels where nobody asks, and plans as without the simulation", () => {
    const still = environmentOf(POOLS, [modelOf("qwen2.5-7b-instruct", { name: "chat" })]);
    expect(confirmedPlaces(still, new FitCache()).request).toBe(still);
    const { speed } = planned(planWithAdvice(still));
    expect(
      Object.keys(speed).filter((key) => ["capacity", "headroom", "neededReplicas", "sure", "why"].includes(key)),
    ).toEqual([]);
  });
});
