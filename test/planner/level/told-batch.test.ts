/** What engines are told to run at once, from the same figures as replicas and prices. */
import { describe, expect, it } from "vitest";
import { vllmArguments } from "../../../components/serving/vllm-args";
import { planWithAdvice } from "../../../planner/plan-with-advice";
import type { ModelRequest } from "../../../planner/request";
import { SCALED_BY_DEFAULT } from "../../../planner/scaling";
import type { ModelPlan } from "../../../planner/types";
import { CHAT_TRAFFIC, environmentOf, modelOf, poolOf } from "../fixtures";

const TRAFFIC = { ...CHAT_TRAFFIC, requestsPerSecond: 0.5 };
const TIMES = { ttftMs: 20_000, tpotMs: 60 };

function planned(changes: Partial<ModelRequest>): ModelPlan {
  const model = modelOf("qwen2.5-7b-instruct", { name: "chat", concurrency: 2, maxReplicas: 2, ...changes });
  const [plan] = planWithAdvice(environmentOf([poolOf("g6e.4xlarge", 4)], [model])).models;
  if (plan === undefined) {
    throw new Error("the model has no place");
  }
  return plan;
}

const told = (plan: ModelPlan) => {
  const args = vllmArguments(plan, "/models");
  const at = args.findIndex((arg) => arg.startsWith("--max-num-seqs"));
  return at < 0 ? undefined : Number((args[at]?.split("=")[1] ?? args[at + 1]) as string);
};

describe("an engine with traffic and a level", () => {
  it("is told to stop where the level would be lost, bursts left out, and where replicas follow demand before", () => {
    const plan = planned({ traffic: TRAFFIC, serviceLevel: TIMES, scaling: SCALED_BY_DEFAULT });
    const { maxNumSeqs = 0, scaling } = plan;
    expect(maxNumSeqs).toBeLessThan(256);
    expect(told(plan)).toBe(maxNumSeqs);
    expect(scaling?.atOnce).toBeGreaterThan(1);
    expect(scaling?.atOnce).toBeLessThan(maxNumSeqs);
    expect(scaling?.signals[0]?.target).toBeLessThanOrEqual(Math.ceil((scaling?.atOnce ?? 0) / 4));
  });

  it("is told less by a stricter level, and never less than its concurrency", () => {
    const of = (tpotMs: number, concurrency = 2) =>
      planned({ traffic: TRAFFIC, concurrency, serviceLevel: { ...TIMES, tpotMs } }).maxNumSeqs ?? 0;
    expect(of(50)).toBeLessThan(of(80));
    expect(of(50, 64)).toBeGreaterThanOrEqual(64);
  });

  it("loses nothing of its capacity by that", () => {
    const rateOf = (changes: Partial<ModelRequest>) =>
      planned({ traffic: TRAFFIC, serviceLevel: TIMES, ...changes }).speed?.capacity?.requestsPerSecond ?? 0;
    expect(rateOf({})).toBeGreaterThanOrEqual(rateOf({ maxNumSeqs: 256 }) * 0.98);
  });

  it.each<[string, Partial<ModelRequest>]>([
    ["no traffic", { serviceLevel: TIMES }],
    ["no time that could be lost", { traffic: TRAFFIC, serviceLevel: { availability: 0.9 } }],
    ["a number of the file's own", { traffic: TRAFFIC, serviceLevel: TIMES, maxNumSeqs: 33 }],
    ["a flag of the file's own", { traffic: TRAFFIC, serviceLevel: TIMES, args: { "max-num-seqs": 33 } }],
  ])("is told nothing new with %s", (_what, changes) => {
    expect(planned(changes).maxNumSeqs).toBe(changes.maxNumSeqs);
  });
});
