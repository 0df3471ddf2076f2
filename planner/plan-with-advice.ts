import { adviseOn } from "./advice/advice";
import { FitCache } from "./fit-cache";
import { withFixes } from "./fixes/find-fixes";
import { planConfirmed } from "./plan";
import type { PlanRequest } from "./request";
import type { DeploymentPlan } from "./types";

export function planWithAdvice(request: PlanRequest): DeploymentPlan {
  const fits = new FitCache();
  const plan = planConfirmed(request, fits, { simulates: true });
  // A change must pass the simulation too, or it might be refused once written.
  const again = (changed: PlanRequest) => planConfirmed(changed, fits);
  const problems = withFixes({ request, plan, again });
  return { ...plan, problems: [...problems, ...adviseOn({ request, plan, again })] };
}
