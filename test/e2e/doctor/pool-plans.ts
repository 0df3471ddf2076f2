import { environmentNamed, openEnvironment } from "../../../cli/read-environment";
import { runEnvironment } from "../../../offline/environment";
import type { DeploymentPlan } from "../../../planner/types";

/** The plan of an environment, or of a file: its pools are what nodes are made from. */
export async function poolPlansOf(name: string, config?: string): Promise<DeploymentPlan> {
  const silent = { out: () => {}, err: () => {}, color: false };
  const opening =
    config === undefined
      ? { environment: environmentNamed(name) }
      : openEnvironment({ environment: name, config }, "", silent);
  if (!("environment" in opening) || "problem" in opening.environment) {
    throw new Error(`no environment ${name}`);
  }
  return (await runEnvironment(opening.environment)).plan;
}
