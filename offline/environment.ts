import type { DeploymentPlan } from "../planner/types";
import { ConfigError, type EnvironmentConfig, type ParsedEnvironmentFile } from "../stacks/config";
import { loadEnvironment } from "../stacks/config/load";
import { createPlatform, planEnvironment } from "../stacks/program";
import { type OfflineOptions, type Recording, runOffline } from "./run";

/** Name of the Pulumi project, as in Pulumi.yaml. */
export const PROJECT = "inference-stacks";

/** An environment whose file was read. */
export interface OfflineEnvironment {
  /** Name of the Pulumi stack. */
  readonly name: string;
  readonly file: ParsedEnvironmentFile;
  /** Name of the file, for messages. @default `Pulumi.<name>.yaml` */
  readonly fileName?: string;
  /** Where relative paths in the file start. */
  readonly baseDirectory: string;
}

/** What the program of an environment decided and made. */
export interface EnvironmentRun {
  readonly environment: EnvironmentConfig;
  readonly plan: DeploymentPlan;
  readonly recording: Recording;
}

/**
 * Runs the program of an environment in this process, against recorded providers. A plan that must not be deployed
 * runs too: what can be placed is made, so that all policies can say what they think.
 *
 * @throws ConfigError or ModelConfigError for what the user can mend, such as a config.json that cannot be read.
 */
export async function runEnvironment(
  { name, file, fileName, baseDirectory }: OfflineEnvironment,
  options: Pick<OfflineOptions, "preview" | "onResource" | "answers"> = {},
): Promise<EnvironmentRun> {
  let decided: Pick<EnvironmentRun, "environment" | "plan"> | undefined;
  const recording = await runOffline(
    async () => {
      const loaded = loadEnvironment();
      const plan = await planEnvironment(name, loaded, baseDirectory).catch((error: unknown) => {
        throw error instanceof ConfigError ? error.foundIn(fileName ?? `Pulumi.${name}.yaml`, file.lineOf) : error;
      });
      decided = { environment: loaded.environment, plan };
      const platform = await createPlatform({ ...loaded, plan });
      return platform.stackOutputs;
    },
    { ...options, project: PROJECT, stack: name, config: file.config, secretKeys: file.secretKeys },
  );
  if (!decided) {
    throw new Error("the program ended without a plan");
  }
  return { ...decided, recording };
}
