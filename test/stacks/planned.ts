import { repositoryRoot } from "../../names/repository-root";
import type { CapacityProblem, DeploymentPlan } from "../../planner/types";
import { type EnvironmentConfig, formatProblems, parseEnvironmentFile } from "../../stacks/config";
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

/** Whether the configuration and the planner allow an environment. */
export function isDeployable(planned: Promise<Planned>): Promise<boolean> {
  return planned.then(
    ({ plan }) => refusalsOf(plan).length === 0,
    () => false,
  );
}

/** What forbids to deploy a plan. */
export function refusalsOf({ problems }: DeploymentPlan): CapacityProblem[] {
  return problems.filter(({ severity }) => severity === "mandatory");
}
