import { adviseOn } from "./advice/advice";
import { FitCache } from "./fit-cache";
import { withFixes } from "./fixes/find-fixes";
import { confirmedRequest } from "./level/confirmed-request";
import { planDeployment } from "./plan";
import type { PlanRequest } from "./request";
import type { DeploymentPlan } from "./types";

export function planWithAdvice(asked: PlanRequest): DeploymentPlan {
  const fits = new FitCache();
  const request = confirmedRequest(asked, fits);
  // A change must pass the simulation too, or it might be refused once written.
  const again = (changed: PlanRequest) => planDeployment(confirmedRequest(changed, fits), fits);
  const plan = planDeployment(request, fits, { simulates: true });
  const problems = withFixes({ request: asked, plan, again });
  return { ...plan, problems: [...problems, ...adviseOn({ request: asked, plan, again })] };
}
