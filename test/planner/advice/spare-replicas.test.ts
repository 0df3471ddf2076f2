import { expect, it } from "vitest";
import { planWithAdvice } from "../../../planner/plan-with-advice";
import { SCALED_BY_DEFAULT } from "../../../planner/scaling";
import { environmentOf, modelOf, poolOf } from "../fixtures";

function advised(spareReplicas: number, minNodes: number) {
  const model = modelOf("llama-3.1-8b-instruct", {
    name: "chat",
    concurrency: 1,
    maxReplicas: 3,
    scaling: { ...SCALED_BY_DEFAULT, spareReplicas },
  });
  const pool = { ...poolOf("g6e.2xlarge", 4), minNodes };
  const plan = planWithAdvice(environmentOf([pool], [model]));
  return plan.problems.filter(({ rule }) => rule === "spare-replicas").map(({ subject }) => subject);
}

it.each([
  ["spare replicas of a pool that has all of its nodes anyway", 1, 4, ["models.chat.scaling.spareReplicas"]],
  ["no spare replicas of a pool that grows", 1, 2, []],
  ["no model without spare replicas", 0, 4, []],
])("advises on %s", (_, spare, minNodes, subjects) => {
  expect(advised(spare, minNodes)).toEqual(subjects);
});
