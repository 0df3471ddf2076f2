import type { DeploymentPlan } from "../planner/types";
import { assumedClusterOutputs, CLUSTER_OUTPUT, checkClusterOutputs } from "../stacks/cluster-outputs";
import { ConfigError, type EnvironmentConfig, type ParsedEnvironmentFile } from "../stacks/config";
import { loadEnvironment } from "../stacks/config/load";
import { createPlatform, planEnvironment } from "../stacks/program";
import { answersIn, type ProviderAnswers } from "./answers";
import { awsPlace, OFFLINE_AWS } from "./aws-answers";
import { withOtherStack } from "./other-stack";
import { type OfflineOptions, type Recording, runOffline } from "./run";

/** Name of the Pulumi project, as in Pulumi.yaml. */
export const PROJECT = "inference-stacks";

export interface OfflineEnvironment {
  /** Name of the Pulumi stack. */
  readonly name: string;
  readonly file: ParsedEnvironmentFile;
  /** File name for messages. @default `Pulumi.<name>.yaml` */
  readonly fileName?: string;
  /** Base of relative paths in the file. */
  readonly baseDirectory: string;
}

export interface EnvironmentRun {
  readonly environment: EnvironmentConfig;
  readonly plan: DeploymentPlan;
  readonly recording: Recording;
  /** Keys of present secrets. */
  readonly secrets: readonly string[];
  /**
   * Cluster outputs of this stack, or of the one that created the cluster; undefined without
   * either.
   */
  readonly clusterOutputs: unknown;
}

export interface EnvironmentRunOptions extends Pick<OfflineOptions, "preview" | "onResource"> {
  /** Overrides provider answers. @default unchanged */
  readonly answers?: (own: ProviderAnswers) => ProviderAnswers;
  /**
   * Outputs of the stack that created the cluster, for `provision: stack`.
   *
   * @default assumed: pools of the plan, on a cluster created by this program
   */
  readonly clusterOutputs?: GivenOutput;
}

/** Output read from another stack. */
export interface GivenOutput {
  /** Its source for messages: a file. */
  readonly said: string;
  readonly value: unknown;
}

/**
 * Runs an environment's program in this process with recorded providers. Also runs undeployable
 * plans with all resources that fit, so that all policies report.
 *
 * @throws ConfigError or ModelConfigError for user mistakes, such as an unreadable config.json.
 */
export async function runEnvironment(
  { name, file, fileName, baseDirectory }: OfflineEnvironment,
  options: EnvironmentRunOptions = {},
): Promise<EnvironmentRun> {
  let decided: Pick<EnvironmentRun, "environment" | "plan" | "secrets"> | undefined;
  let referenced: unknown;
  let place = OFFLINE_AWS;
  const { answers: changed = (own) => own, ...others } = options;
  const answers = withOtherStack(changed(answersIn(() => place)), ({ ofOtherStack }) => {
    if (!decided) {
      throw new Error("the program refers to another stack before it has a plan");
    }
    const { environment, plan } = decided;
    referenced = options.clusterOutputs?.value ?? assumedClusterOutputs(environment.cluster, plan.pools, ofOtherStack);
    return { name: CLUSTER_OUTPUT, value: referenced };
  });
  const recording = await runOffline(
    async () => {
      const loaded = loadEnvironment();
      place = awsPlace(loaded.environment);
      const inFile = (error: unknown) => {
        throw error instanceof ConfigError ? error.foundIn(fileName ?? `Pulumi.${name}.yaml`, file.lineOf) : error;
      };
      const plan = await planEnvironment(name, loaded, baseDirectory).catch(inFile);
      decided = { environment: loaded.environment, plan, secrets: Object.keys(loaded.secrets) };
      if (options.clusterOutputs) {
        checkClusterOutputs(options.clusterOutputs, loaded.environment.cluster, plan.pools);
      }
      const platform = await createPlatform({ ...loaded, plan }).catch(inFile);
      return platform.stackOutputs;
    },
    { ...others, answers, project: PROJECT, stack: name, config: file.config, secretKeys: file.secretKeys },
  );
  if (!decided) {
    throw new Error("the program ended without a plan");
  }
  return { ...decided, recording, clusterOutputs: recording.outputs[CLUSTER_OUTPUT] ?? referenced };
}
