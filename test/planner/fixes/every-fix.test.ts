import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hourlyUsd } from "../../../catalog/shapes";
import { engineNames } from "../../../engines";
import { withFixes } from "../../../planner/fixes/find-fixes";
import { modelSettings } from "../../../planner/fixes/model-settings";
import { planDeployment } from "../../../planner/plan";
import { planWithAdvice } from "../../../planner/plan-with-advice";
import type { ModelRequest, PlanRequest, PoolRequest } from "../../../planner/request";
import type { CapacityProblem, Fix } from "../../../planner/types";
import { environmentOf, modelOf, poolOf, shapeNamed } from "../fixtures";
import { refusals } from "./refusals";

const keyOf = ({ rule, subject }: CapacityProblem) => `${rule} ${subject}`;

const MODEL_KEYS: Readonly<Record<string, keyof ModelRequest>> = {
  "replicas.min": "minReplicas",
  "replicas.max": "maxReplicas",
};

/** What a person does with a fix: writes the value at its path; what stands in the block of an engine, the request has beside the rest. */
function written(request: PlanRequest, { path, to }: Fix): PlanRequest {
  const [section, name, ...rest] = path.split(".");
  const model = request.models.find((each) => each.name === name);
  if (model && ["engine", "engineVersion"].includes(rest.join("."))) {
    return (
      modelSettings(request, model)
        .find((setting) => setting.path === path)
        ?.at(0).request ?? request
    );
  }
  const key = rest.filter((part) => !engineNames.some((engine) => engine === part)).join(".");
  if (section === "models") {
    const change =
      key === "replicas"
        ? { minReplicas: Number(to), maxReplicas: Number(to) }
        : { [MODEL_KEYS[key] ?? key]: to ?? undefined };
    return { ...request, models: request.models.map((m) => (m.name === name ? { ...m, ...change } : m)) };
  }
  const changed = (pool: PoolRequest): PoolRequest => {
    if (key !== "shape") {
      return { ...pool, [key]: to };
    }
    const shape = shapeNamed(String(to));
    return { ...pool, shape, usdPerNodeHour: hourlyUsd(shape) ?? Number.NaN };
  };
  return { ...request, pools: request.pools.map((p) => (p.name === name ? changed(p) : p)) };
}

const models = ["llama-3.2-3b-instruct", "qwen2.5-7b-instruct", "bge-m3", "llama-3.3-70b-instruct"].map((name) =>
  modelOf(name),
);
const refusedEnvironments: fc.Arbitrary<PlanRequest> = fc
  .record({
    models: fc.array(
      fc.record({
        base: fc.constantFrom(...models),
        concurrency: fc.integer({ min: 1, max: 256 }),
        minReplicas: fc.integer({ min: 1, max: 4 }),
        more: fc.nat(2),
        tensorParallel: fc.constantFrom(undefined, undefined, undefined, 2, 3),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    pools: fc.uniqueArray(
      fc.record({
        shape: fc.constantFrom("g6e.xlarge", "g6.12xlarge", "g6e.12xlarge", "BM.GPU.A10.4"),
        minNodes: fc.nat(2),
        more: fc.nat(2),
      }),
      { minLength: 1, maxLength: 2, selector: ({ shape }) => shape },
    ),
    monthlyBudgetUsd: fc.integer({ min: 500, max: 20_000 }),
  })
  .map(({ pools, models: rows, monthlyBudgetUsd }) =>
    environmentOf(
      pools.map(({ shape, minNodes, more }) => poolOf(shape, Math.max(1, minNodes + more), { minNodes })),
      rows.map(({ base, more, tensorParallel, ...row }, i) => ({
        ...base,
        ...row,
        maxReplicas: row.minReplicas + more,
        name: `m${i}`,
        ...(tensorParallel !== undefined && { tensorParallel }),
      })),
      { monthlyBudgetUsd },
    ),
  );

describe("every fix", () => {
  it("really mends what it is proposed for, breaks nothing else, costs what it says, and comes cheapest first", () => {
    let proposed = 0;
    fc.assert(
      fc.property(refusedEnvironments, (request) => {
        const plan = planWithAdvice(request);
        const before = refusals(plan).map(keyOf);
        for (const problem of refusals(plan)) {
          const costs = (problem.fixes ?? []).map((fix) => fix.monthlyUsd);
          expect(costs.map(Math.round)).toEqual([...costs].sort((a, b) => a - b).map(Math.round));
          for (const fix of problem.fixes ?? []) {
            proposed += 1;
            const after = planDeployment(written(request, fix));
            const left = refusals(after).map(keyOf);
            expect(left).not.toContain(keyOf(problem));
            expect(before).toEqual(expect.arrayContaining(left));
            expect(after.cost.monthlyUsd).toBeCloseTo(fix.monthlyUsd, 4);
          }
        }
      }),
      { numRuns: 25 },
    );
    expect(proposed).toBeGreaterThan(10);
  });

  it("is found within bounded work, however many models there are", () => {
    const many = Array.from({ length: 300 }, (_, i) =>
      modelOf("qwen2.5-7b-instruct", { name: `m${i}`, concurrency: 2 }),
    );
    let plans = 0;
    const request = environmentOf([poolOf("g6e.12xlarge", 200)], many, { monthlyBudgetUsd: 1 });
    const plan = planDeployment(request);
    withFixes({
      request,
      plan,
      again: () => {
        plans += 1;
        return plan;
      },
    });
    expect(plans).toBeGreaterThan(0);
    expect(plans * many.length).toBeLessThanOrEqual(1500);
  });
});
