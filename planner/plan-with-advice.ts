import { adviseOn } from "./advice/advice";
import { FitCache } from "./fit-cache";
import { withFixes } from "./fixes/find-fixes";
import { planDeployment } from "./plan";
import type { PlanRequest } from "./request";
import type { DeploymentPlan } from "./types";

/** The plan of an environment; beside each refusal the changes that would mend it, and what else deserves a look. */
export function planWithAdvice(request: PlanRequest): DeploymentPlan {
  const fits = new FitCache();
  const again = (changed: PlanRequest) => planDeployment(changed, fits);
  const plan = again(request);
  const problems = withFixes({ request, plan, again });
  return { ...plan, problems: [...problems, ...adviseOn({ request, plan, again })] };
}
