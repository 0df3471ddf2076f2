import { expectTypeOf, test } from "vitest";
import type { PlanSummary } from "../../planner/summary";
import type { PlanFacts } from "../../policies/lib/plan";

type Immutable<T> = T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T;

test("a published plan has what policies read (a type error here means that the two drifted apart)", () => {
  expectTypeOf<PlanSummary>().toExtend<Immutable<PlanFacts>>();
});
