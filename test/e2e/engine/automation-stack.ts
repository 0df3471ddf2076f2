import * as automation from "@pulumi/pulumi/automation";
import { repositoryRoot } from "../../../names/repository-root";
import { loadEnvironment } from "../../../stacks/config/load";
import { leaveFolder } from "../../../stacks/gitops/leave-folder";
import { assertDeployable, createPlatform, planEnvironment } from "../../../stacks/program";
import { surroundingsOf } from "../../../stacks/surroundings";
import { configMap, type EnvironmentFile } from "./environment-file";
import { connectAlone } from "./own-connections";
import { withoutReports } from "./without-reports";

const PROJECT = "inference-stacks";
/** Milliseconds: an API server of these tests answers at once, or not at all. */
const PATIENCE = 3_000;

/**
 * A new stack of an environment's program, driven by the Automation API.
 *
 * @param variables what the engine runs with.
 */
export async function createStack(
  name: string,
  file: EnvironmentFile,
  variables: Readonly<Record<string, string>>,
): Promise<automation.Stack> {
  const { PATH, PULUMI_HOME, ...envVars } = variables;
  // The Automation API looks for the command line on this process's own PATH.
  process.env.PATH = PATH;
  connectAlone();
  const stack = await automation.LocalWorkspace.createStack(
    { projectName: PROJECT, stackName: name, program: () => program(name) },
    { pulumiHome: PULUMI_HOME, envVars },
  );
  await stack.setAllConfig(configMap(file));
  return withoutReports(stack);
}

/** What stacks/index.ts does; the command line's test runs that file itself. */
async function program(name: string): Promise<Record<string, unknown>> {
  const loaded = loadEnvironment();
  const plan = await planEnvironment(name, loaded, repositoryRoot());
  assertDeployable(plan);
  await leaveFolder(loaded.environment);
  const platform = await createPlatform({ ...loaded, plan }, surroundingsOf({}, PATIENCE));
  return { ...platform.stackOutputs };
}
