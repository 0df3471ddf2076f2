import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planDifference } from "../../report/plan-difference";
import { type PlanDigest, planDigest } from "../../report/plan-digest";

const model = (name: string, changes: Partial<PlanDigest["models"][number]> = {}) => ({
  ...{ name, engine: "vllm", engineVersion: "0.33.0", pool: "gpu", format: "BF16" },
  ...{ contextTokens: 8192, concurrency: 2, minReplicas: 1, maxReplicas: 1 },
  ...changes,
});
const PLAN: PlanDigest = {
  models: [model("chat"), model("old")],
  pools: [{ name: "gpu", shape: "VM.GPU.A10.2", minNodes: 1, maxNodes: 4 }],
  cost: { monthlyUsd: 1000, maxMonthlyUsd: 4000 },
};

describe("the difference of two plans", () => {
  it("has cost, machines, pools and models, before and after", () => {
    const after: PlanDigest = {
      models: [model("chat", { minReplicas: 2, maxReplicas: 3, contextTokens: 16_384 }), model("new")],
      pools: [{ name: "gpu", shape: "VM.GPU.A10.2", minNodes: 2, maxNodes: 4 }],
      cost: { monthlyUsd: 2000.5, maxMonthlyUsd: 4000 },
    };
    expect(planDifference(PLAN, after)).toEqual([
      "- Cost: 1000.00 → 2000.50 USD/month (+1000.50), at most 4000.00 → 4000.00",
      "- Machines that always run: 1 → 2",
      "- Pool `gpu`: minNodes 1 → 2",
      "- Model `chat`: contextTokens 8192 → 16384, minReplicas 1 → 2, maxReplicas 1 → 3",
      "- Model `new` added: vllm on gpu, 1 replica",
      "- Model `old` removed",
    ]);
    expect(planDifference(after, PLAN)[0]).toContain("(−1000.50)");
  });

  it("is the whole plan where there was none", () => {
    expect(planDifference(undefined, PLAN)).toEqual([
      "- Cost: 1000.00 USD/month, at most 4000.00",
      "- Machines that always run: 0 → 1",
      "- Pool `gpu` added: 1 to 4 × VM.GPU.A10.2",
      "- Model `chat` added: vllm on gpu, 1 replica",
      "- Model `old` added: vllm on gpu, 1 replica",
    ]);
  });

  it("is empty for the same plan alone", () => {
    const count = fc.nat(3);
    const plans = fc.record({
      models: fc.uniqueArray(
        fc.record({ name: fc.constantFrom("a", "b"), minReplicas: count, maxReplicas: count, concurrency: count }),
        { selector: ({ name }) => name },
      ),
      pools: fc.uniqueArray(
        fc.record({
          name: fc.constantFrom("p", "q"),
          shape: fc.constantFrom("x", "y"),
          minNodes: count,
          maxNodes: count,
        }),
        { selector: ({ name }) => name },
      ),
      cost: fc.record({ monthlyUsd: count, maxMonthlyUsd: count }),
    });
    const sorted = (plan: PlanDigest) => {
      const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1);
      return { ...plan, models: plan.models.toSorted(byName), pools: plan.pools.toSorted(byName) };
    };
    fc.assert(
      fc.property(plans, plans, (one, other) => {
        const whole = (plan: typeof one) =>
          planDigest.parse({ ...plan, models: plan.models.map(({ name, ...own }) => model(name, own)) });
        const same = JSON.stringify(sorted(whole(one))) === JSON.stringify(sorted(whole(other)));
        expect(planDifference(whole(one), whole(other)).length === 0).toBe(same);
      }),
    );
  });
});
