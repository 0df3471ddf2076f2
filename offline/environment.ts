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
  /** Keys of the secrets that are set. */
  readonly secrets: readonly string[];
  /** What a stack says of the cluster: this one where it makes it, the other one where that did. Undefined: nobody does. */
  readonly clusterOutputs: unknown;
}

export interface EnvironmentRunOptions extends Pick<OfflineOptions, "preview" | "onResource"> {
  /** Changes what providers answer in the environment. @default as it is */
  readonly answers?: (own: ProviderAnswers) => ProviderAnswers;
  /**
   * What the stack that made the cluster says of it, with `provision: stack`.
   *
   * @default assumed: the pools of the plan, on a cluster as this program makes one
   */
  readonly clusterOutputs?: GivenOutput;
}

/** An output of another stack, as somebody read it. */
export interface GivenOutput {
  /** Where it was read, for messages: a file. */
  readonly said: string;
  readonly value: unknown;
}

/**
 * Runs the program of an environment in this process, against recorded providers. A plan that must not be deployed
 * runs too: what can be placed is made, so that all policies can say what they think.
 *
 * @throws ConfigError or ModelConfigError for what the user can mend, such as a config.json that cannot be read.
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
