import { expect, it } from "vitest";
import { singleHeads } from "../../../stacks/advice/interruptions";
import { modelPlan, rayPlan } from "../../harness/plans";

it("a model whose replicas one pod keeps together is told of it, and no other", () => {
  const plan = { models: [modelPlan(), rayPlan({ name: "together" })] };
  const told = singleHeads({ plan } as unknown as Parameters<typeof singleHeads>[0]);
  expect(told).toMatchObject([{ severity: "advisory", rule: "single-head", subject: "models.together" }]);
  expect(told[0]?.message).toContain("while it is away they answer for up to an hour");
});
