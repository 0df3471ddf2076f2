import { ChartsError } from "../charts/lock-file";
import type { ChartPins } from "../charts/obtain";
import { ClusterMismatchError } from "../components/cluster/cluster-mismatch";
import { CLUSTER_OUTPUT, outputsOfCluster } from "../components/cluster/cluster-outputs";
import type { Cluster } from "../components/core/cluster";
import { localDisksProblems } from "../planner/local-disks";
import { ModelConfigError } from "../planner/model/errors";
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

/** The plan must not be deployed; the message holds every reason. */
export class PlanRefusedError extends Error {
  constructor(readonly plan: DeploymentPlan) {
    const reasons = mandatory(plan).map((p) => `  ${p.subject}: ${p.message}`);
    super(`environment "${plan.environment}" cannot be deployed:\n${reasons.join("\n")}`);
  }
}

/**
 * Whether an error is the user's to mend: a config, a model's config.json, another stack, where they deploy from and as
 * whom, a limit of the cloud. Its message is all that they need.
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
 * Reads the models of an environment and plans it.
 *
 * @param baseDirectory where relative paths in it start: the folder of its file.
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
    ...volumeAttachmentProblems(environment, plan, claimed),
    ...ownDiskProblems(plan.pools, plan.models, nodeVolumes(environment, plan, claimed)),
    ...addons.flatMap((addon) => addon.problems({ environment, plan }) ?? []),
  ];
  // What would fail is advised on before what costs too much.
  const advice = adviseOnEnvironment({ ...loaded, plan: { ...plan, problems } });
  return { ...plan, problems: [...advice, ...problems].map((problem) => inFile(problem, environment.models)) };
}

/**
 * What the planner is asked for an environment: its file, and the files that it names.
 *
 * @param baseDirectory where relative paths in it start: the folder of its file.
 * @param claimed volumes of its add-ons. @default what they say
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

/** What of the volumes is on the nodes themselves: of k3s, and of clusters in a container of this computer. Of others nobody says. */
function nodeVolumes(
  { cluster }: EnvironmentConfig,
  { storage }: DeploymentPlan,
  { volumes, spareModelGiB }: AddonVolumes,
): NodeVolumes | undefined {
  const areFolders =
    cluster.storageClass === "local-path" || (cluster.kind === "local" && cluster.provision === "create");
  return areFolders ? { storeGiB: storage.sizeGiB, volumes, spareModelGiB } : undefined;
}

/** A problem by the paths of the file, where a canary stands under its model. */
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

/** @throws PlanRefusedError when a capacity rule forbids the plan: nothing must be created then. */
export function assertDeployable(plan: DeploymentPlan): void {
  if (mandatory(plan).length > 0) {
    throw new PlanRefusedError(plan);
  }
}

/**
 * Creates what `scope` asks for: the cluster, by the one function for its kind, the platform on it, or both.
 *
 * @param surroundings of a real deployment. @default none: nobody asks whether the cluster can be reached
 * @throws ChartsError where a chart that it installs is not there as a file, if files are asked for.
 * @throws ConfigError where the bundle that everything is to come from lacks something.
 * @throws ClusterMismatchError where the cluster of another stack is not what the plan counts on.
 * @throws UnreachableClusterError where it cannot be reached: what was made until then stays recorded.
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
      /** What charts of a bundle must be. @default as the bundle says */
      readonly chartPins?: ChartPins;
    },
  surroundings: Surroundings = {},
): Promise<{ readonly stackOutputs: StackOutputs }> {
  const { cluster: config, scope } = loaded.environment;
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
    // Nothing here may ask the cluster's API whether its nodes have settled: docs/rdma.md says what that leaves to do.
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
