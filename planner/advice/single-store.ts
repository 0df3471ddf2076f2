import { uptimeOf } from "../../catalog/uptime";
import { percent } from "../availability/text";
import type { Replanning } from "../fixes/setting";
import type { CapacityProblem } from "../types";

/** The model store of a production platform in a cloud is one pod with one volume: what that costs, until a bucket of the cloud takes its place. */
export function singleStore({ request, plan }: Pick<Replanning, "request" | "plan">): CapacityProblem[] {
  const pool = request.pools.find(({ role }) => role === "system");
  if (plan.stage !== "production" || plan.storage.models.length === 0 || !pool || pool.shape.provider === "onprem") {
    return [];
  }
  const { node, volume } = { ...uptimeOf(pool.shape.provider), ...pool.uptime };
  return [
    {
      severity: "advisory",
      rule: "single-store",
      subject: "storage",
      message: `the model store is one pod with one volume in one zone, there ${percent(node * volume)} of the time (node ${percent(node)}, volume ${percent(volume)}). While it is away, running replicas of ${plan.storage.models.join(", ")} go on, and none starts, scales or moves. A bucket of the cloud in its place is not offered yet; ModelStoreDown reports it (docs/availability.md).`,
    },
  ];
}
