import { hourlyUsd } from "../../catalog/shapes";
import type { Replanning } from "../fixes/setting";
import type { CapacityProblem } from "../types";

/** Machines without a price are missing from the budget. */
export function unpricedMachines({ request, plan }: Pick<Replanning, "request" | "plan">): CapacityProblem[] {
  if (request.monthlyBudgetUsd === undefined) {
    return [];
  }
  return plan.pools.flatMap(({ name, shape, usdPerNodeHour, maxNodes }): CapacityProblem[] => {
    if (usdPerNodeHour > 0 || maxNodes === 0) {
      return [];
    }
    const listed = hourlyUsd(shape);
    const remedy =
      listed === undefined
        ? `Write pools.${name}.usdPerNodeHour: what a node costs you an hour, with power and over its life`
        : `Its list price is ${listed.toFixed(2)} USD an hour: remove usdPerNodeHour: 0, or write what you pay`;
    return [
      {
        severity: "advisory",
        rule: "unpriced-machines",
        subject: `pools.${name}.usdPerNodeHour`,
        message: `nodes of pools.${name} (${shape.name}) cost nothing in this plan, so that the budget does not limit them. ${remedy}.`,
      },
    ];
  });
}
