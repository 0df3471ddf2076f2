import { adviseOn } from "./advice/advice";
import { FitCache } from "./fit-cache";
import { withFixes } from "./fixes/find-fixes";
import { confirmedRequest } from "./level/confirmed-request";
import { planDeployment } from "./plan";
import type { PlanRequest } from "./request";
import type { DeploymentPlan } from "./types";

/** The plan of an environment; beside each refusal the changes that would mend it, and what else deserves a look. */
export function planWithAdvice(asked: PlanRequest): DeploymentPlan {
  const fits = new FitCache();
  const request = confirmedRequest(asked, fits);
  // What the closed form alone allows might be refused once it is written: a change is held against the simulation too.
  const again = (changed: PlanRequest) => planDeployment(confirmedRequest(changed, fits), fits);
  const plan = planDeployment(request, fits, { simulates: true });
  const problems = withFixes({ request: asked, plan, again });
  return { ...plan, problems: [...problems, ...adviseOn({ request: asked, plan, again })] };
}
