import { expect, expectTypeOf, test } from "vitest";
import { PLAN_KEY, PLAN_NAMESPACE, PLAN_CONFIG_MAP as RECORD_NAME } from "../../components/core/plan-record";
import type { PlanSummary } from "../../planner/summary";
import { PLAN_CONFIG_MAP, type PlanFacts } from "../../policies/lib/plan";

type Immutable<T> = T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T;

test("policies read the plan where the stack publishes it", () => {
  expect(PLAN_CONFIG_MAP).toEqual({ namespace: PLAN_NAMESPACE, name: RECORD_NAME, key: PLAN_KEY });
});

test("a published plan has what policies read (a type error here means that the two drifted apart)", () => {
  expectTypeOf<PlanSummary>().toExtend<Immutable<PlanFacts>>();
});
