import { MONTHLY_BUDGET } from "../../names/rules";
import { readPlan } from "../lib/plan";
import { stackPolicy } from "../lib/policy";

/** Checks the recorded plan: the planner refused it already, unless the record was changed. */
export const monthlyBudget = stackPolicy(
  {
    name: MONTHLY_BUDGET,
    description: "The plan's monthly cost stays within the environment's budget, where it has one.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["cost"],
    remediationSteps:
      "Lower minimum replicas or nodes, allow a cheaper shape, or raise the environment's monthly budget.",
  },
  (resources, report) => {
    const reading = readPlan(resources);
    if (reading.state !== "read") {
      return;
    }
    const { monthlyUsd, monthlyBudgetUsd } = reading.plan.cost;
    if (monthlyBudgetUsd !== undefined && monthlyUsd > monthlyBudgetUsd) {
      const field = reading.field.get("cost", "monthlyUsd");
      const excess = Math.ceil(monthlyUsd - monthlyBudgetUsd);
      report({
        resource: reading.resource,
        field,
        found: `is ${monthlyUsd} USD, ${excess} over`,
        allowed: `at most ${monthlyBudgetUsd} USD`,
      });
    }
  },
);
