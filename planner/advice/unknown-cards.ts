import type { CapacityProblem, DeploymentPlan } from "../types";

/** Only the card's memory is known, so whether an engine starts is not. */
export function unknownCards({
  plan: { pools, models },
}: {
  readonly plan: Pick<DeploymentPlan, "pools" | "models">;
}): CapacityProblem[] {
  return pools.flatMap(({ name, shape: { gpu } }): CapacityProblem[] => {
    const here = models.filter((m) => m.pool === name).map((m) => m.name);
    if (gpu === undefined || gpu.abilities !== undefined || here.length === 0) {
      return [];
    }
    return [
      {
        severity: "advisory",
        rule: "unknown-card",
        subject: `pools.${name}`,
        message: `the catalogue does not say what ${gpu.model} can do, so it is not known whether ${here.join(", ")} will start on it. Add its abilities to catalog/shapes/gpus.json.`,
      },
    ];
  });
}
