import { expect, it } from "vitest";
import { replicasOverNodes } from "../../../stacks/advice/interruptions";
import { groupPlan, modelPlan } from "../../harness/plans";

const told = (...models: readonly ReturnType<typeof modelPlan>[]) =>
  replicasOverNodes({ plan: { models } } as unknown as Parameters<typeof replicasOverNodes>[0]);

it("names the models that one of several nodes takes away, and for how long", () => {
  const [advice, ...others] = told(groupPlan({ startupBudgetSeconds: 3000 }), modelPlan());
  expect(others).toEqual([]);
  expect(advice).toMatchObject({ severity: "advisory", rule: "replica-over-nodes", subject: "models.llama-405b" });
  expect(advice?.message).toMatch(/its 2 nodes .*within 1 min.*up to 50 min.*none answers/);
});

it("says that other replicas answer meanwhile", () => {
  expect(told(groupPlan({ minReplicas: 2, maxReplicas: 2 }))[0]?.message).toContain("the others answer");
});
