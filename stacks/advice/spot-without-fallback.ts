import { spotShare } from "../../catalog/cloud-prices";
import { hourlyUsd } from "../../catalog/shapes";
import { HOURS_PER_MONTH } from "../../planner/cost";
import type { CapacityProblem } from "../../planner/types";
import type { Advised } from "./advice";

/**
 * OKE's preemptible machines have no fallback: Oracle's autoscaler keeps asking the chosen pool,
 * even with the expander `priority` (kubernetes/autoscaler#6168; #10306, which is to change that,
 * is open). Karpenter falls back to on-demand machines.
 */
export function spotWithoutFallback({ environment, plan }: Pick<Advised, "environment" | "plan">): CapacityProblem[] {
  const { cluster, pools } = environment;
  if (cluster.kind !== "oci" || cluster.provision !== "create") {
    return [];
  }
  return plan.pools.flatMap(({ name, shape, minNodes, maxNodes, usdPerNodeHour }): CapacityProblem[] => {
    const nodes = Math.max(1, minNodes, maxNodes);
    const listed = hourlyUsd(shape);
    const share = spotShare("oci")?.share;
    if (pools[name]?.capacity !== "spot" || listed === undefined || share === undefined) {
      return [];
    }
    const month = (usd: number) => Math.round(usd * nodes * HOURS_PER_MONTH).toLocaleString("en-US");
    return [
      {
        severity: "advisory",
        rule: "spot-without-fallback",
        subject: `pools.${name}.capacity`,
        message: `while Oracle has no preemptible ${shape.name}, the models of this pool wait: nothing on OKE takes machines on demand instead. ${nodes} of them cost ${month(usdPerNodeHour)} USD a month as they are planned, and ${month(listed)} on demand. To take those: write capacity: on-demand; the new pool is there before the old one goes.`,
      },
    ];
  });
}
