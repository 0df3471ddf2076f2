import { engineOf } from "../../engines";
import { prefixCaches } from "../../planner/prefix-caches";
import { tenantsOf } from "../../planner/tenants";
import type { CapacityProblem } from "../../planner/types";
import type { Advised } from "./advice";

/** Models whose engine reuses prompts of one consumer for another: the time to the first token tells what was asked before. */
export function sharedPrefixCaches({
  plan,
  environment: { gateway, models },
}: Pick<Advised, "plan" | "environment">): CapacityProblem[] {
  const tenants = tenantsOf(gateway.consumers, models);
  const share = gateway.prefixCaches?.share ?? [];
  const shared = plan.models.filter(
    (model) =>
      engineOf(model.engine).prefixReuse(model) === "shared" &&
      prefixCaches(model.revisionOf?.model ?? model.name, tenants, share) !== undefined,
  );
  return shared.length === 0
    ? []
    : [
        {
          severity: "advisory",
          rule: "shared-prefix-caches",
          subject: "gateway.consumers",
          message: `${shared.map(({ name, engine }) => `models.${name} (${engineOf(engine).label})`).join(", ")}: this engine or release reuses what it computed of one consumer's prompts for all others, and the time to the first token tells them what was asked before. To mend it: an engine or release that keeps consumers apart (docs/prefix-caches.md#where-it-does-not-hold), a model for each of them, or gateway.prefixCaches.share with those who may know.`,
        },
      ];
}
