import * as pulumi from "@pulumi/pulumi";
import { ChartsError } from "../charts/lock-file";
import type { ChartPins } from "../charts/obtain";
import { ClusterMismatchError } from "../components/cluster/cluster-mismatch";
import { CLUSTER_OUTPUT, outputsOfCluster } from "../components/cluster/cluster-outputs";
import type { Cluster } from "../components/core/cluster";
import { localDisksProblems } from "../planner/local-disks";
import { ModelConfigError } from "../planner/model/errors";
import { nodeCacheProblems } from "../planner/node-cache";
import { type NodeVolumes, ownDiskProblems } from "../planner/own-disks";
import { planWithAdvice } from "../planner/plan-with-advice";
import type { PlanRequest } from "../planner/request";
import type { CapacityProblem, DeploymentPlan } from "../planner/types";
import { activeAddons } from "./addons/active";
import type { ActiveAddon } from "./addons/addon";
import { loadAddons, mergeOutputs } from "./addons/build";
import type { StackOutputs } from "./addons/contract";
import { adviseOnEnvironment } from "./advice/advice";
import { readArchitectures } from "./architectures";
import { aws } from "./aws";
import { bootVolumeProblems } from "./boot-volumes";
import { openBundle } from "./bundle/open-bundle";
import { readMeasurements } from "./calibration/files";
import { chosenTransform } from "./chosen-transform";
import type { AddonVolumes } from "./cloud-billing";
import { CapacityRefusedError } from "./cloud-capacity";
import {
  type ClusterConfig,
  ConfigError,
  type EnvironmentConfig,
  type LoadedEnvironment,
  readAuthorities,
  readChatTemplates,
  textInFile,
} from "./config";
import { DeployerRefusedError } from "./deployer";
import { edge } from "./edge";
import { StillOwnedError } from "./gitops/keeps-platform";
import { local } from "./local";
import { oci } from "./oci";
import { settingProblems, toPlanRequest } from "./plan-request";
import { Platform, type StackArgs } from "./platform";
import { platformPlaceProblems } from "./platform-place";
import { assertReachable, type Surroundings, UnreachableClusterError } from "./reachability";
import { referencedCluster } from "./referenced-cluster";
import { revisionProblems } from "./revisions";
import { volumeAttachmentProblems } from "./volume-attachment";

/** The plan is refused; the message has all reasons. */
export class PlanRefusedError extends Error {
  constructor(readonly plan: DeploymentPlan) {
    const reasons = mandatory(plan).map((p) => `  ${p.subject}: ${p.message}`);
    super(`environment "${plan.environment}" cannot be deployed:\n${reasons.join("\n")}`);
  }
}

/**
 * An error for the user to fix: config, a model's config.json, another stack, deployer and place, a
 * cloud limit. The message suffices.
 */
export function isUserMistake(error: unknown): error is Error {
  return [
    ConfigError,
    ModelConfigError,
    PlanRefusedError,
    ClusterMismatchError,
    UnreachableClusterError,
    CapacityRefusedError,
    DeployerRefusedError,
    ChartsError,
    StillOwnedError,
  ].some((type) => error instanceof type);
}

/**
 * Reads an environment's models and plans it.
 *
 * @param baseDirectory base of relative paths: the folder of its file.
 */
export async function planEnvironment(
  name: string,
  loaded: LoadedEnvironment,
  baseDirectory: string,
): Promise<DeploymentPlan> {
  const { environment } = loaded;
  const addons = activeAddons(loaded);
  const claimed = addonVolumes(addons, environment);
  const request = await readRequest(name, loaded, baseDirectory, claimed);
  const plan = planWithAdvice(request);
  const problems = [
    ...plan.problems,
    ...revisionProblems(request, environment.models),
    ...settingProblems(environment.models, request.models),
    ...platformPlaceProblems(environment.cluster, plan.pools),
    ...bootVolumeProblems(environment.pools, plan),
    ...localDisksProblems(plan.pools, plan.models),
    ...nodeCacheProblems(plan.pools, plan.models),
    ...volumeAttachmentProblems(environment, plan, claimed),
    ...ownDiskProblems(plan.pools, plan.models, nodeVolumes(environment, plan, claimed)),
    ...addons.flatMap((addon) => addon.problems({ environment, plan }) ?? []),
  ];
  // Failures come before cost.
  const advice = adviseOnEnvironment({ ...loaded, plan: { ...plan, problems } });
  return { ...plan, problems: [...advice, ...problems].map((problem) => inFile(problem, environment.models)) };
}

/**
 * The planner's request from the file and the files it names.
 *
 * @param baseDirectory base of relative paths: the folder of its file.
 * @param claimed volumes of its add-ons. @default computed
 */
export async function readRequest(
  name: string,
  loaded: LoadedEnvironment,
  baseDirectory: string,
  claimed = addonVolumes(activeAddons(loaded), loaded.environment),
): Promise<PlanRequest> {
  const { environment } = loaded;
  return toPlanRequest(
    name,
    environment,
    await readArchitectures(environment, baseDirectory, name),
    readChatTemplates(environment, baseDirectory),
    readAuthorities(environment, baseDirectory),
    claimed,
    readMeasurements(baseDirectory),
  );
}

function addonVolumes(addons: readonly ActiveAddon[], environment: EnvironmentConfig): AddonVolumes {
  const all = addons.flatMap((addon) => addon.volumes({ environment }) ?? []);
  return {
    volumes: all.flatMap(({ volumes }) => volumes),
    notPriced: all.flatMap(({ notPriced = [] }) => notPriced),
    spareModelGiB: all.reduce((sum, { spareModelGiB = 0 }) => sum + spareModelGiB, 0),
  };
}

/** Volumes on nodes: k3s, and clusters in this computer's containers. Unknown for others. */
function nodeVolumes(
  { cluster }: EnvironmentConfig,
  { storage }: DeploymentPlan,
  { volumes, spareModelGiB }: AddonVolumes,
): NodeVolumes | undefined {
  const areFolders =
    cluster.storageClass === "local-path" || (cluster.kind === "local" && cluster.provision === "create");
  return areFolders ? { storeGiB: storage.sizeGiB, volumes, spareModelGiB } : undefined;
}

/** At file paths, with canaries under their model. */
function inFile(problem: CapacityProblem, models: EnvironmentConfig["models"]): CapacityProblem {
  const { subject, message, remedies, fixes } = problem;
  const said = (text: string) => textInFile(text, models);
  return {
    ...problem,
    subject: said(subject),
    message: said(message),
    ...(remedies && { remedies: remedies.map(said) }),
    ...(fixes && { fixes: fixes.map((fix) => ({ ...fix, path: said(fix.path) })) }),
  };
}

/** @throws PlanRefusedError when a capacity rule forbids the plan, before anything is created. */
export function assertDeployable(plan: DeploymentPlan): void {
  if (mandatory(plan).length > 0) {
    throw new PlanRefusedError(plan);
  }
}

/**
 * Creates cluster, platform or both, by `scope`.
 *
 * @param surroundings of a real deployment. @default none: reachability is not checked
 * @throws ChartsError where a chart to install is missing as a file, if files are required.
 * @throws ConfigError where the bundle lacks something.
 * @throws ClusterMismatchError where another stack's cluster differs from the plan.
 * @throws UnreachableClusterError where it is unreachable: what exists by then stays recorded.
 */
export async function createPlatform(
  {
    plan,
    charts,
    awsProvider,
    chartPins = () => undefined,
    ...loaded
  }: LoadedEnvironment &
    Pick<StackArgs, "plan" | "charts" | "awsProvider"> & {
      /** Expected charts of a bundle. @default the bundle's own */
      readonly chartPins?: ChartPins;
    },
  surroundings: Surroundings = {},
): Promise<{ readonly stackOutputs: StackOutputs }> {
  const { cluster: config, scope } = loaded.environment;
  const transform = chosenTransform.orNone();
  if (transform) {
    pulumi.runtime.registerStackTransformation(transform);
  }
  const bundle = openBundle(loaded.environment, plan, chartPins);
  const args: StackArgs = {
    ...loaded,
    plan,
    addons: await loadAddons(activeAddons(loaded)),
    bundle,
    charts,
    awsProvider,
  };
  const cluster = await clusterOf(config, args);
  const ofCluster =
    config.provision === "create"
      ? {
          [CLUSTER_OUTPUT]: outputsOfCluster(config.kind, cluster),
          kubeconfig: cluster.kubeconfig,
        }
      : {};
  if (scope === "cluster") {
    // Nothing here may wait for nodes to settle: docs/rdma.md has the remaining steps.
    cluster.rdmaOperator?.([]);
    return { stackOutputs: ofCluster };
  }
  await assertReachable(cluster, config, surroundings);
  const { deletedWith } = cluster;
  const options = {
    provider: cluster.provider,
    dependsOn: [...cluster.ready],
    ...(deletedWith && { deletedWith }),
  };
  const platform = new Platform("platform", { cluster, ...args }, options);
  return { stackOutputs: mergeOutputs([ofCluster, platform.stackOutputs]) };
}

async function clusterOf(config: ClusterConfig, args: StackArgs): Promise<Cluster> {
  if (config.provision === "stack") {
    return referencedCluster(config, args);
  }
  switch (config.kind) {
    case "local":
      return local(config, args);
    case "oci":
      return oci(config, args);
    case "aws":
      return aws(config, args);
    case "edge":
      return edge(config, args);
  }
}

function mandatory(plan: DeploymentPlan) {
  return plan.problems.filter((p) => p.severity === "mandatory");
}
