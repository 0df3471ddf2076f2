import { chart, charts } from "../../catalog/charts";
import { modelEngineVersion, modelImageName } from "../../engines";
import { ownerOf } from "../../kubernetes/owner";
import type { EnvironmentRun } from "../../offline/environment";
import type { RecordedResource } from "../../offline/run";
import { zonesNeeded } from "../../planner/availability/zone-label";
import type { Autoscaler } from "../../planner/scaling";
import { hostsOf } from "../../planner/shared-servers";
import type { ModelPlan, OwnImage, PodResources, PoolPlan, Stage } from "../../planner/types";
import {
  madeStorageClassesOf,
  recordedObjects,
  runtimeClassesOf,
  storageClassesOf,
} from "../../rehearsal/cluster/recorded-objects";
import { type NodeMakers, nodeMakers } from "../../report/node-makers";
import type { ClusterConfig } from "../../stacks/config";
import { type Agent, agentsOf } from "./checks/agents";

/** What a pod of a model asks of a node of its pool. */
export interface PodNeed extends PodResources {
  readonly model: string;
  /** Pods that always run. */
  readonly count: number;
  /** Catalogue name of the engine's image. Undefined: of another version than the catalogue's, so that nothing is known of it. */
  readonly image?: string;
  /** The user's own, of which what they state is known. */
  readonly ownImage?: OwnImage;
}

export interface PoolNeed {
  readonly pool: PoolPlan;
  /** Where Karpenter makes nodes while pods ask for them: how many are there without such pods. */
  readonly alwaysNodes?: number;
  readonly pods: readonly PodNeed[];
  /** In how many zones its nodes are, where replicas are kept apart by zones. @default their zones do not matter */
  readonly zones?: number;
}

/** A chart that the environment installs. */
export interface ReleaseNeed {
  /** Name in the catalogue. */
  readonly chart: string;
  readonly release: string;
  readonly namespace: string;
  /** Argo CD applies its chart, and takes over definitions that are there. @default Helm does, which refuses them */
  readonly byArgoCd?: boolean;
}

/** What an environment expects of its cluster before the platform comes. */
export interface Needs {
  readonly environment: string;
  readonly stage: Stage;
  readonly cluster: ClusterConfig;
  readonly pools: readonly PoolNeed[];
  readonly releases: readonly ReleaseNeed[];
  /** Charts of the catalogue in whose place the environment uses what the cluster has. */
  readonly present: readonly string[];
  /** Named by claims, and not made by the environment itself. */
  readonly storageClasses: readonly string[];
  /** Whether a claim names none. */
  readonly needsDefaultClass: boolean;
  readonly runtimeClasses: readonly string[];
  /** Who scales models. @default nothing does */
  readonly autoscaler?: Autoscaler;
  /** Agents of servers of others that it installs. */
  readonly agents: readonly Agent[];
  /** Reasons of the planner that forbid the deployment, whatever the cluster has. */
  readonly refusals: number;
}

/** What the program of an environment takes for granted. */
export function needsOf({ environment, plan, recording }: EnvironmentRun): Needs {
  const objects = recordedObjects(recording.resources);
  const made = madeStorageClassesOf(objects);
  const claimed = [...storageClassesOf(objects)];
  const { storageClass } = environment.cluster;
  const classes = new Set([...claimed, ...(storageClass === undefined ? [] : [storageClass])]);
  const models = hostsOf(plan.models);
  const makers = nodeMakers(environment, plan) ?? [];
  return {
    environment: plan.environment,
    stage: plan.stage,
    cluster: environment.cluster,
    pools: plan.pools.map((pool) => ({
      pool,
      ...zonesOf(zonesNeeded(pool, plan.models)),
      ...alwaysOf(makers.find((maker) => maker.pool === pool.name)),
      pods: models
        .filter((model) => model.pool === pool.name)
        .map((model) => ({
          ...model.resources,
          model: model.name,
          count: model.minReplicas * model.nodesPerReplica,
          ...imageOf(model, pool),
        })),
    })),
    releases: recording.resources.flatMap((resource) => releaseOf(resource, recording.outputs.gitops !== undefined)),
    present: [
      ...(environment.cluster.certManager === "present" ? ["cert-manager"] : []),
      ...(environment.observability?.prometheus === "present" ? ["kube-prometheus-stack"] : []),
    ],
    storageClasses: [...classes].filter((name) => !made.has(name)).sort(),
    needsDefaultClass: classes.size === 0,
    runtimeClasses: [...runtimeClassesOf(objects)].sort(),
    ...autoscalerOf(plan.models),
    agents: agentsOf(recording.outputs),
    refusals: plan.problems.filter(({ severity }) => severity === "mandatory").length,
  };
}

function zonesOf(zones: number): Pick<PoolNeed, "zones"> {
  return zones > 1 ? { zones } : {};
}

/** Rules of the configuration see to it that there is one. */
function autoscalerOf(models: readonly ModelPlan[]): Pick<Needs, "autoscaler"> {
  const [autoscaler] = models.flatMap(({ scaling }) => scaling?.by ?? []);
  return autoscaler === undefined ? {} : { autoscaler };
}

function alwaysOf(maker: NodeMakers | undefined): Pick<PoolNeed, "alwaysNodes"> {
  return maker !== undefined && maker.karpenter > 0 ? { alwaysNodes: maker.group } : {};
}

function imageOf(model: ModelPlan, { shape: { gpu } }: PoolPlan): Pick<PodNeed, "image" | "ownImage"> {
  if (model.image) {
    return { ownImage: model.image };
  }
  const image =
    gpu && model.engineVersion === modelEngineVersion(model) ? modelImageName(model, gpu.vendor) : undefined;
  return image === undefined ? {} : { image };
}

const RELEASE = "kubernetes:helm.sh/v3:Release";

function releaseOf({ urn, type, inputs }: RecordedResource, gitops: boolean): ReleaseNeed[] {
  const { name, namespace, chart: reference } = inputs;
  if (type !== RELEASE || typeof reference !== "string") {
    return [];
  }
  const entry = charts.find((candidate) => candidate.repository === reference || candidate.chart === reference);
  return entry === undefined
    ? []
    : [
        {
          chart: chart(entry.name).name,
          release: String(name),
          namespace: String(namespace),
          ...(gitops && ownerOf({ urn }) === "folder" && { byArgoCd: true }),
        },
      ];
}
