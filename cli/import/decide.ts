/** Plans an environment's text within milliseconds, without a search for fixes. */
import { planDeployment } from "../../planner/plan";
import type { CapacityProblem, DeploymentPlan } from "../../planner/types";
import { readArchitectures } from "../../stacks/architectures";
import { type ConfigProblem, parseEnvironmentFile } from "../../stacks/config";
import { settingProblems, toPlanRequest } from "../../stacks/plan-request";
import { platformPlaceProblems } from "../../stacks/platform-place";
import { isUserMistake } from "../../stacks/program";

export type Decision =
  | { readonly kind: "mistakes"; readonly problems: readonly ConfigProblem[] }
  /** A model lacks its config.json. */
  | { readonly kind: "unknown"; readonly why: string }
  | {
      readonly kind: "planned";
      readonly plan: DeploymentPlan;
      /** The plan omits models without config.json. */
      readonly isPartial?: boolean;
      readonly refusals: readonly CapacityProblem[];
    };

/** @param baseDirectory of relative paths. */
export async function decide(name: string, text: string, baseDirectory: string): Promise<Decision> {
  const file = parseEnvironmentFile(text);
  if (!file.ok) {
    return { kind: "mistakes", problems: file.problems };
  }
  try {
    const architectures = await readArchitectures(file.environment, baseDirectory);
    const request = toPlanRequest(name, file.environment, architectures);
    const plan = planDeployment(request);
    const { cluster, models } = file.environment;
    const problems = [
      ...plan.problems,
      ...settingProblems(models, request.models),
      ...platformPlaceProblems(cluster, plan.pools),
    ];
    return { kind: "planned", plan, refusals: problems.filter(({ severity }) => severity === "mandatory") };
  } catch (error) {
    if (isUserMistake(error)) {
      return { kind: "unknown", why: error.message };
    }
    throw error;
  }
}
