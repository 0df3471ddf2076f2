/** Prices per token of planned models: of the replicas that answer. */
import { describe, expect, it } from "vitest";
import { planWithAdvice } from "../../planner/plan-with-advice";
import type { ModelRequest, PoolRequest } from "../../planner/request";
import type { ModelPlan } from "../../planner/types";
import { CHAT_TRAFFIC, environmentOf, modelOf, poolOf } from "./fixtures";

function planned(changes: Partial<ModelRequest>, pool: Partial<PoolRequest> = {}): ModelPlan {
  const model = modelOf("qwen2.5-7b-instruct", { name: "chat", traffic: CHAT_TRAFFIC, ...changes });
  const [plan] = planWithAdvice(environmentOf([poolOf("g6e.xlarge", 40, pool)], [model])).models;
  if (plan === undefined) {
    throw new Error("it found no place");
  }
  return plan;
}

const priceOf = (plan: ModelPlan) => plan.tokenPrice?.usdPerMillionTokens;
const derived = ["replicas", "concurrency"] as const;
const level = { tpotMs: 60 };

describe("the price of a model's tokens", () => {
  it("counts the replicas that answer the traffic on average, not only those that always run", () => {
    const alone = planned({ serviceLevel: level, minReplicas: 1, maxReplicas: 8 });
    const traffic = { ...CHAT_TRAFFIC, requestsPerSecond: 3.5 * (alone.speed?.capacity?.requestsPerSecond ?? 0) };
    const scaled = planned({ traffic, serviceLevel: level, minReplicas: 1, maxReplicas: 8 });
    const needed = Math.ceil(traffic.requestsPerSecond / (scaled.speed?.capacity?.requestsPerSecond ?? 0));
    const fixed = planned({ traffic, serviceLevel: level, minReplicas: needed, maxReplicas: 8 });
    expect(needed).toBeGreaterThan(1);
    expect(scaled.monthlyUsd * needed).toBeCloseTo(fixed.monthlyUsd, 6);
    expect(priceOf(scaled)).toBeCloseTo(priceOf(fixed) ?? 0, 9);
  });

  it("is that of a replica that is awake where the model sleeps", () => {
    const slow = { ...CHAT_TRAFFIC, requestsPerSecond: 0.1 };
    const asleep = planned({ traffic: slow, minReplicas: 0, maxReplicas: 1 });
    const awake = planned({ traffic: slow, minReplicas: 1, maxReplicas: 1 });
    expect(asleep.monthlyUsd).toBe(0);
    expect(priceOf(asleep)).toBeCloseTo(priceOf(awake) ?? 0, 9);
  });

  it("is not told of requests that nobody answers", () => {
    const flood = { ...CHAT_TRAFFIC, requestsPerSecond: 500 };
    const { tokenPrice } = planned({ traffic: flood, serviceLevel: level, minReplicas: 1, maxReplicas: 1 });
    expect(tokenPrice).not.toHaveProperty("usdPerMillionTokens");
    expect(tokenPrice?.atCapacityUsdPerMillionTokens).toBeGreaterThan(0);
  });

  it("stands beside what APIs ask for the same model, whoever builds it", () => {
    const apisOf = (source: ModelRequest["source"]) =>
      planned({ derived, serviceLevel: level, source }).tokenPrice?.apis.map(({ provider }) => provider);
    const listed = apisOf({ kind: "huggingface", repository: "Qwen/Qwen2.5-7B-Instruct", revision: "main" });
    expect(listed).toEqual(expect.arrayContaining([expect.any(String)]));
    expect(apisOf({ kind: "ollama", tag: "qwen2.5:7b" })).toEqual(listed);
    expect(apisOf({ kind: "bucket", uri: "s3://models/qwen" })).toEqual([]);
  });
});
