import { repositoryRoot } from "../../names/repository-root";
import { planDeployment } from "../../planner/plan";
import type { CapacityProblem, DeploymentPlan } from "../../planner/types";
import { readArchitectures } from "../../stacks/architectures";
import { type EnvironmentConfig, formatProblems, parseEnvironmentFile } from "../../stacks/config";
import { toPlanRequest } from "../../stacks/plan-request";
import { planEnvironment } from "../../stacks/program";
import { changedText, type Sections } from "./texts";

/** An environment and what the planner decides of it. */
export interface Planned {
  readonly environment: EnvironmentConfig;
  readonly plan: DeploymentPlan;
}

/**
 * Plans the text of an environment and creates nothing: milliseconds, where its program takes half a second.
 *
 * @param baseDirectory where relative paths in it start. @default the repository
 */
export async function planText(text: string, baseDirectory = repositoryRoot(), name = "test"): Promise<Planned> {
  const file = parseEnvironmentFile(text);
  if (!file.ok) {
    throw new Error(formatProblems(file.problems, "the test's file"));
  }
  const { environment } = file;
  return { environment, plan: await planEnvironment(name, { environment, secrets: {} }, baseDirectory) };
}

/** Plans `Pulumi.<name>.yaml` with some of its sections replaced. */
export function changedPlan(name: string, changes: Sections = {}, baseDirectory?: string): Promise<Planned> {
  return planText(changedText(name, changes), baseDirectory, name);
}

/** Whether its models fit, for its budget: what would mend it, for which the planner takes seconds, is not looked for. */
export async function isDeployable(text: string): Promise<boolean> {
  const file = parseEnvironmentFile(text);
  if (!file.ok) {
    return false;
  }
  const architectures = await readArchitectures(file.environment, repositoryRoot());
  return refusalsOf(planDeployment(toPlanRequest("test", file.environment, architectures))).length === 0;
}

/** What forbids to deploy a plan. */
export function refusalsOf({ problems }: Pick<DeploymentPlan, "problems">): CapacityProblem[] {
  return problems.filter(({ severity }) => severity === "mandatory");
}
