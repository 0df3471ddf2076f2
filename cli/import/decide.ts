/** What the planner says of an environment's text: milliseconds, for nothing is made and no fix is looked for. */
import { planDeployment } from "../../planner/plan";
import type { CapacityProblem, DeploymentPlan } from "../../planner/types";
import { readArchitectures } from "../../stacks/architectures";
import { type ConfigProblem, parseEnvironmentFile } from "../../stacks/config";
import { settingProblems, toPlanRequest } from "../../stacks/plan-request";
import { platformPlaceProblems } from "../../stacks/platform-place";
import { isUserMistake } from "../../stacks/program";

export type Decision =
  | { readonly kind: "mistakes"; readonly problems: readonly ConfigProblem[] }
  /** A model's config.json is not there. */
  | { readonly kind: "unknown"; readonly why: string }
  | {
      readonly kind: "planned";
      readonly plan: DeploymentPlan;
      /** Models whose config.json is not there are not in the plan. */
      readonly isPartial?: boolean;
      /** What forbids to deploy it. */
      readonly refusals: readonly CapacityProblem[];
    };

/** @param baseDirectory where relative paths in the text start. */
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
