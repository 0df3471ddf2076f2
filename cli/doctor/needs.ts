import { chart, charts } from "../../catalog/charts";
import { modelEngineVersion, modelImageName } from "../../engines";
import { ownerOf } from "../../kubernetes/owner";
import type { ExistingController } from "../../names/envoy-gateway";
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

/** Requests of a model's pod on its node. */
export interface PodNeed extends PodResources {
  readonly model: string;
  /** Pods that always run. */
  readonly count: number;
  /** Catalogue image. Undefined: another version, without known facts. */
  readonly image?: string;
  /** Own image with its stated facts. */
  readonly ownImage?: OwnImage;
}

export interface PoolNeed {
  readonly pool: PoolPlan;
  /** With Karpenter: nodes without pending pods. */
  readonly alwaysNodes?: number;
  readonly pods: readonly PodNeed[];
  /** Zones for spread replicas. @default any */
  readonly zones?: number;
}

export interface ReleaseNeed {
  /** Catalogue name. */
  readonly chart: string;
  readonly release: string;
  readonly namespace: string;
  /** Argo CD adopts existing CRDs. @default Helm, which refuses them */
  readonly byArgoCd?: boolean;
}

/** Prerequisites of the platform in a cluster. */
export interface Needs {
  readonly environment: string;
  readonly stage: Stage;
  readonly cluster: ClusterConfig;
  readonly pools: readonly PoolNeed[];
  readonly releases: readonly ReleaseNeed[];
  /** Charts of the catalogue in whose place the environment uses what the cluster has. */
  readonly present: readonly string[];
  /** Envoy Gateway that the cluster has. @default the platform's */
  readonly gatewayController?: ExistingController | undefined;
  /** Named by claims, and not made by the environment itself. */
  readonly storageClasses: readonly string[];
  /** Whether a claim names none. */
  readonly needsDefaultClass: boolean;
  readonly runtimeClasses: readonly string[];
  /** @default none */
  readonly autoscaler?: Autoscaler;
  /** Agents of management servers. */
  readonly agents: readonly Agent[];
  /** Whether an AWS Load Balancer Controller that is there already makes the gateway's load balancer. */
  readonly awsLoadBalancer: boolean;
  /** Planner refusals, independent of the cluster. */
  readonly refusals: number;
}

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
      ...(environment.gateway.controller ? ["gateway-helm"] : []),
      ...(environment.observability?.prometheus === "present" ? ["kube-prometheus-stack"] : []),
    ],
    gatewayController: environment.gateway.controller,
    storageClasses: [...classes].filter((name) => !made.has(name)).sort(),
    needsDefaultClass: classes.size === 0,
    runtimeClasses: [...runtimeClassesOf(objects)].sort(),
    ...autoscalerOf(plan.models),
    agents: agentsOf(recording.outputs),
    awsLoadBalancer:
      environment.cluster.kind === "aws" &&
      environment.cluster.provision === "existing" &&
      environment.gateway.exposure === "LoadBalancer",
    refusals: plan.problems.filter(({ severity }) => severity === "mandatory").length,
  };
}

function zonesOf(zones: number): Pick<PoolNeed, "zones"> {
  return zones > 1 ? { zones } : {};
}

/** Configuration rules ensure one. */
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
