import * as automation from "@pulumi/pulumi/automation";
import { isGrpcError } from "@pulumi/pulumi/errors";
import { repositoryRoot } from "../../../names/repository-root";
import { loadEnvironment } from "../../../stacks/config/load";
import { assertDeployable, createPlatform, planEnvironment } from "../../../stacks/program";
import { surroundingsOf } from "../../../stacks/surroundings";
import { configMap, type EnvironmentFile } from "./environment-file";
import { connectAlone } from "./own-connections";

const PROJECT = "inference-stacks";
/** Milliseconds: an API server of these tests answers at once, or not at all. */
const PATIENCE = 3_000;
/** What a program's failure says where it lost its connection to an engine that still runs. */
const LOST = "the program lost its connection to the engine";

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
    { projectName: PROJECT, stackName: name, program: () => told(program(name)) },
    { pulumiHome: PULUMI_HOME, envVars },
  );
  await stack.setAllConfig(configMap(file));
  const { up, preview } = stack;
  return Object.assign(stack, {
    up: (options?: automation.UpOptions) => againWhereLost(() => up.call(stack, options)),
    preview: (options?: automation.PreviewOptions) => againWhereLost(() => preview.call(stack, options)),
  });
}

/** What stacks/index.ts does; the command line's test runs that file itself. */
async function program(name: string): Promise<Record<string, unknown>> {
  const loaded = loadEnvironment();
  const plan = await planEnvironment(name, loaded, repositoryRoot());
  assertDeployable(plan);
  const platform = await createPlatform({ ...loaded, plan }, surroundingsOf({}, PATIENCE));
  return { ...platform.stackOutputs };
}

/**
 * The SDK takes a program that lost its connection for one that ended well (3.248, automation/server.ts), and the engine then deletes
 * whatever was not registered before. Here that is a failure, as it is where the command line runs the program.
 */
async function told<T>(run: Promise<T>): Promise<T> {
  try {
    return await run;
  } catch (error) {
    throw isGrpcError(error as Error) ? new Error(`${LOST}: ${(error as Error).message}`, { cause: error }) : error;
  }
}

/**
 * Runs an operation again whose program lost its connection. Programs in one process share what the SDK keeps of them, and one that
 * was refused goes on after its operation has ended, beside the next one's.
 */
async function againWhereLost<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!String(error).includes(LOST)) {
      throw error;
    }
    console.warn(String(error));
    return run();
  }
}
