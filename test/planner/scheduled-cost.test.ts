/** What the clock starts is in the bill: pools, totals, budget, models and the price of their tokens. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planWithAdvice } from "../../planner/plan-with-advice";
import type { ModelRequest, PlanRequest, PoolRequest } from "../../planner/request";
import type { ScalingRequest, ScheduledReplicas } from "../../planner/scaling";
import { openSpans } from "../../planner/schedule/windows";
import type { DeploymentPlan } from "../../planner/types";
import { CHAT_TRAFFIC, environmentOf, modelOf, poolOf } from "./fixtures";
import { anyWindow } from "./schedule/windows.fixture";

const OFFICE: ScheduledReplicas = { from: "0 8 * * 1-5", to: "0 20 * * 1-5", timezone: "Europe/Berlin", replicas: 1 };
const OFFICE_HOURS = (730 * 5 * 12) / (7 * 24);

const scaling = (schedule: readonly ScheduledReplicas[], spareReplicas = 0): ScalingRequest => ({
  by: "keda",
  targets: {},
  schedule,
  spareReplicas,
});
const scheduled = (schedule: readonly ScheduledReplicas[], changes: Partial<ModelRequest> = {}) =>
  modelOf("qwen2.5-7b-instruct", {
    name: "chat",
    minReplicas: 0,
    maxReplicas: 4,
    scaling: scaling(schedule),
    ...changes,
  });
const planOf = (models: readonly ModelRequest[], pool: Partial<PoolRequest> = {}, changes: Partial<PlanRequest> = {}) =>
  planWithAdvice(environmentOf([poolOf("g6e.xlarge", 20, { name: "gpu", ...pool })], models, changes));
const gpu = (plan: DeploymentPlan) => plan.pools.find(({ name }) => name === "gpu");
const rules = (plan: DeploymentPlan) => plan.problems.filter((p) => p.severity === "mandatory").map((p) => p.rule);

describe("replicas that a schedule starts", () => {
  it("cost their hours on their nodes, in the pool, in the total and in the model", () => {
    const plan = planOf([scheduled([OFFICE])]);
    const pool = gpu(plan);
    const usd = OFFICE_HOURS * (pool?.usdPerNodeHour ?? 0);
    expect(pool).toMatchObject({ minNodes: 0, hourlyUsd: 0 });
    expect(pool?.scheduledNodeHours).toBeCloseTo(OFFICE_HOURS, 0);
    expect(pool?.monthlyUsd).toBeCloseTo(usd, 0);
    expect(plan.models[0]?.monthlyUsd).toBeCloseTo(usd, 0);
    expect(plan.cost.monthlyUsd - planOf([scheduled([])]).cost.monthlyUsd).toBeCloseTo(usd, 0);
  });

  it("are held against the budget, and the fixes are less of the schedule", () => {
    const always = planOf([scheduled([])]).cost.monthlyUsd;
    const plan = planOf([scheduled([{ ...OFFICE, replicas: 4 }])], {}, { monthlyBudgetUsd: always + 700 });
    expect(rules(plan)).toEqual(["monthly-budget"]);
    const fixes = plan.problems.flatMap((problem) => problem.fixes ?? []);
    expect(fixes).toContainEqual(
      expect.objectContaining({ path: "models.chat.scaling.schedule[0].replicas", from: 4, to: 1 }),
    );
    expect(fixes).toContainEqual(expect.objectContaining({ path: "models.chat.scaling.schedule[0]", to: null }));
  });

  it("cost nothing more where nodes run anyway", () => {
    const pool = gpu(planOf([scheduled([OFFICE])], { minNodes: 2 }));
    expect(pool).toMatchObject({ minNodes: 2, scheduledNodeHours: 0 });
    expect(pool?.monthlyUsd).toBeCloseTo(2 * 730 * (pool?.usdPerNodeHour ?? 0), 6);
  });

  it("come on top of spare ones, as KEDA and the spare pods do", () => {
    const plan = planOf([scheduled([], { scaling: scaling([OFFICE], 1) })]);
    expect(gpu(plan)?.minNodes).toBe(1);
    expect(gpu(plan)?.scheduledNodeHours).toBeCloseTo(OFFICE_HOURS, 0);
  });

  it("are billed as in the month in which they run, where their months are few", () => {
    const december = { ...OFFICE, from: "0 0 1 12 *", to: "0 0 1 1 *", timezone: "UTC" };
    expect(gpu(planOf([scheduled([december])]))?.scheduledNodeHours).toBeCloseTo(730, 6);
  });

  it("must all find room at the same time", () => {
    const two = ["a", "b"].map((name) => scheduled([OFFICE], { name, maxReplicas: 1 }));
    const [first, second] = two;
    const evening = { ...OFFICE, from: "0 20 * * 1-5", to: "0 23 * * 1-5" };
    expect(rules(planOf(two, { maxNodes: 1 }))).toContain("pool-capacity");
    const apart = [first, second && { ...second, scaling: scaling([evening]) }].filter((m) => m !== undefined);
    expect(rules(planOf(apart, { maxNodes: 1 }))).toEqual([]);
  });

  it("do not change the price of a token: a replica by the clock costs as much as one that is awake", () => {
    const traffic = { ...CHAT_TRAFFIC, requestsPerSecond: 0.1 };
    const price = (schedule: readonly ScheduledReplicas[]) =>
      planOf([scheduled(schedule, { traffic })]).models[0]?.tokenPrice?.usdPerMillionTokens ?? 0;
    expect(price([])).toBeGreaterThan(0);
    expect(price([OFFICE])).toBeCloseTo(price([]), 6);
  });

  it("never make a plan that is cheaper than its schedules", () => {
    const windows = fc.array(
      fc.record({ window: anyWindow, replicas: fc.integer({ min: 1, max: 4 }) }).map(({ window, replicas }) => ({
        ...window,
        replicas,
      })),
      { minLength: 1, maxLength: 2 },
    );
    fc.assert(
      fc.property(windows, windows, fc.nat(2), fc.nat(3), (a, b, minReplicas, minNodes) => {
        const models = [scheduled(a, { name: "a", minReplicas, maxReplicas: 4 }), scheduled(b, { name: "b" })];
        const plan = planOf(models, { minNodes });
        const pool = gpu(plan);
        expect(rules(plan)).toEqual([]);
        // One GPU a node, and one a replica.
        const nodeHours = 730 * averageOfYear([a, b], [minReplicas, 0], minNodes);
        // A single year has a weekday once more than others.
        expect((pool?.monthlyUsd ?? 0) / (pool?.usdPerNodeHour ?? 1)).toBeGreaterThanOrEqual(0.98 * nodeHours);
        expect(pool?.monthlyUsd ?? 0).toBeLessThanOrEqual((pool?.maxMonthlyUsd ?? 0) + 1e-6);
        expect(plan.cost.items.reduce((sum, item) => sum + item.monthlyUsd, 0)).toBeCloseTo(plan.cost.monthlyUsd, 6);
        const unscheduled = planOf(
          models.map((m) => ({ ...m, scaling: scaling([]) })),
          { minNodes },
        );
        expect(plan.cost.monthlyUsd).toBeGreaterThanOrEqual(unscheduled.cost.monthlyUsd - 1e-6);
      }),
      { numRuns: 6 },
    );
  });
});

/** Nodes that run on average in 2028, minute by minute. */
function averageOfYear(
  schedules: readonly (readonly ScheduledReplicas[])[],
  least: readonly number[],
  minNodes: number,
): number {
  const year = { from: Date.UTC(2028, 0) / 60_000, until: Date.UTC(2029, 0) / 60_000 };
  const length = year.until - year.from;
  const replicas = schedules.map((windows, model) => {
    const held = new Uint8Array(length).fill(least[model] ?? 0);
    const ascending = windows.toSorted((a, b) => a.replicas - b.replicas);
    for (const window of ascending.filter((each) => each.replicas > (least[model] ?? 0))) {
      for (const { from, until } of openSpans(window, year)) {
        held.fill(window.replicas, from - year.from, until - year.from);
      }
    }
    return held;
  });
  let nodes = 0;
  for (let i = 0; i < length; i++) {
    nodes += Math.max(
      minNodes,
      replicas.reduce((sum, held) => sum + (held[i] ?? 0), 0),
    );
  }
  return nodes / length;
}

describe("hours a day that nothing keeps to", () => {
  it("are said with what they would save, and counted in no figure", () => {
    const model = modelOf("qwen2.5-7b-instruct", { name: "chat" });
    const [short, whole] = [planOf([model], { hoursPerDay: 0.5 }), planOf([model])];
    expect(short.cost.monthlyUsd).toBeCloseTo(whole.cost.monthlyUsd, 6);
    expect(short.cost.maxMonthlyUsd).toBeCloseTo(whole.cost.maxMonthlyUsd, 6);
    const saved = ((gpu(whole)?.monthlyUsd ?? 0) * 0.5) / 24;
    expect(short.cost.items.find(({ name }) => name === "gpu")?.note).toContain(saved.toFixed(2));
  });
});
