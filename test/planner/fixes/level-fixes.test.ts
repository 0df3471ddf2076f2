/** What is proposed for a level that cannot be kept is tried as people try it: written, and planned again. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hourlyUsd } from "../../../catalog/shapes";
import { planWithAdvice } from "../../../planner/plan-with-advice";
import type { ModelRequest, PlanRequest } from "../../../planner/request";
import type { DeploymentPlan, Fix } from "../../../planner/types";
import { atNight, isFull } from "../../harness/property-runs";
import { environmentOf, modelOf, poolOf, shapeNamed } from "../fixtures";

const TRAFFIC = { peakFactor: 2, inputTokens: 1000, outputTokens: 300, sharedPrefixTokens: 0, lengthVariation: 1 };

const refusals = ({ problems }: DeploymentPlan) => problems.filter((p) => p.severity === "mandatory");
const keysOf = (plan: DeploymentPlan) => refusals(plan).map(({ rule, subject }) => `${rule} ${subject}`);

function chat(changes: Partial<ModelRequest>): ModelRequest {
  return modelOf("qwen2.5-7b-instruct", { name: "chat", concurrency: 2, ...changes });
}

/** What a person does with a fix. */
function written(request: PlanRequest, { path, to }: Fix): PlanRequest {
  const [section, name, ...rest] = path.split(".");
  const key = rest.filter((part) => part !== "vllm").join(".");
  const models = (change: Partial<ModelRequest>): PlanRequest => ({
    ...request,
    models: request.models.map((m) => (m.name === name ? { ...m, ...change } : m)),
  });
  if (section === "pools") {
    return {
      ...request,
      pools: request.pools.map((p) => {
        if (p.name !== name) {
          return p;
        }
        const shape = shapeNamed(key === "shape" ? String(to) : p.shape.name);
        return key === "shape" ? { ...p, shape, usdPerNodeHour: hourlyUsd(shape) ?? Number.NaN } : { ...p, [key]: to };
      }),
    };
  }
  if (key.startsWith("serviceLevel.")) {
    const [model] = request.models;
    return models({ serviceLevel: { ...model?.serviceLevel, [key.replace("serviceLevel.", "")]: Number(to) } });
  }
  const own: Partial<Record<string, Partial<ModelRequest>>> = {
    "replicas.min": { minReplicas: Number(to) },
    "replicas.max": { maxReplicas: Number(to) },
    replicas: { minReplicas: Number(to), maxReplicas: Number(to) },
  };
  return models(own[key] ?? ({ [key]: to ?? undefined } as Partial<ModelRequest>));
}

describe("a level that is not kept", () => {
  it("may become milder, or the model smaller or elsewhere: in one change that is planned then", () => {
    const [problem] = refusals(
      planWithAdvice(
        environmentOf(
          [poolOf("g6.4xlarge", 1), poolOf("p5.48xlarge", 1, { name: "fast" })],
          [chat({ pools: ["g6-4xlarge"], serviceLevel: { tpotMs: 20 } })],
        ),
      ),
    );
    const paths = (problem?.fixes ?? []).map(({ path }) => path);
    expect(problem?.rule).toBe("service-level");
    expect(paths).toEqual(expect.arrayContaining(["models.chat.serviceLevel.tpotMs", "models.chat.pools"]));
    // What was tried stands in place of the floor, which might not be enough.
    expect(problem?.message).toMatch(/- raise models\.chat\.serviceLevel\.tpotMs from 20 to \d+: /);
    expect(problem?.message).not.toContain("or less demanding");
  });

  it("is told of its floor where no single change is enough", () => {
    const level = { tpotMs: 1, ttftMs: 1 };
    const [problem] = refusals(
      planWithAdvice(environmentOf([poolOf("g6.4xlarge", 1)], [chat({ serviceLevel: level })])),
    );
    expect(problem?.message).toMatch(
      /- write models\.chat\.serviceLevel\.ttftMs: \d+ and models\.chat\.serviceLevel\.tpotMs: \d+, or less demanding/,
    );
  });

  it("gets fixes that mend it once they are written, break nothing else and cost what they say", () => {
    let proposed = 0;
    let levels = 0;
    const SLOW = {
      requestsPerSecond: 2,
      ttftMs: 1500,
      tpotMs: 15,
      shape: "g6e.12xlarge",
      maxNodes: 2,
      isDerived: false,
    } as const;
    fc.assert(
      fc.property(
        fc.record({
          requestsPerSecond: fc.constantFrom(undefined, 0.2, 2, 8),
          ttftMs: fc.constantFrom(undefined, 300, 1500, 4000),
          tpotMs: fc.constantFrom(5, 15, 30, 60),
          shape: fc.constantFrom("VM.GPU.A10.2", "g6.4xlarge", "g6e.12xlarge"),
          maxNodes: fc.integer({ min: 1, max: 3 }),
          isDerived: fc.boolean(),
        }),
        ({ requestsPerSecond, ttftMs, tpotMs, shape, maxNodes, isDerived }) => {
          const model = chat({
            serviceLevel: { tpotMs, ...(ttftMs !== undefined && { ttftMs }) },
            ...(requestsPerSecond !== undefined && {
              traffic: { ...TRAFFIC, requestsPerSecond },
              ...(isDerived && { derived: ["replicas", "concurrency"] as const }),
            }),
          });
          const request = environmentOf([poolOf(shape, maxNodes)], [model]);
          const plan = planWithAdvice(request);
          for (const problem of refusals(plan)) {
            for (const fix of problem.fixes ?? []) {
              proposed += 1;
              levels += fix.path.includes("serviceLevel") ? 1 : 0;
              const after = planWithAdvice(written(request, fix));
              expect([fix, keysOf(after)]).toEqual([fix, []]);
              expect(after.cost.monthlyUsd).toBeCloseTo(fix.monthlyUsd, 4);
            }
          }
        },
      ),
      { numRuns: atNight(12, 4), examples: [[SLOW]] },
    );
    expect(proposed).toBeGreaterThan(isFull ? 5 : 0);
    expect(levels).toBeGreaterThan(0);
  }, 120_000);
});
