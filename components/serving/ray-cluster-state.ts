/** State that outlives the head, in a Valkey of the model. */
import type * as pulumi from "@pulumi/pulumi";
import { STATE_GIB } from "../../engines/ray";
import { selectorLabels } from "../../names/labels";
import { modelNamespaceName } from "../../names/namespaces";
import { VALKEY_PORT } from "../../names/services";
import type { ModelPlan } from "../../planner/types";
import { type Connection, connect, type PodSelection } from "../core/connections";
import { named } from "../core/known";
import { burstable } from "../core/resources";
import { PASSWORD_KEY, Valkey } from "../core/valkey";
import type { VolumeClasses } from "../storage/volume-class";
import { rayPods } from "./ray-names";
import type { GcsFaultTolerance } from "./ray-service-resource";

/** Service, StatefulSet, Secret and ConfigMap in the model's namespace. */
const CLUSTER_STATE = "ray-state";

/** Some hundred kilobytes per cluster; predecessors' stay. */
const MAX_MEMORY_MIB = 192;

export interface RayClusterStateArgs {
  readonly namespace: pulumi.Input<string>;
  readonly cluster: VolumeClasses;
}

/**
 * Valkey that logs every write: a restarted head knows its nodes, and workers answer meanwhile.
 * @param name prefix of logical names of its objects.
 */
export function rayClusterState(
  name: string,
  { namespace, cluster }: RayClusterStateArgs,
  opts: { readonly parent: pulumi.Resource },
): { readonly options: GcsFaultTolerance; readonly resources: readonly pulumi.Resource[] } {
  const { secret, workload } = new Valkey(
    name,
    {
      namespace,
      instance: CLUSTER_STATE,
      // Evicted state is lost. A rewrite forks: at worst memory doubles.
      settings: [
        "appendonly yes",
        "appendfsync everysec",
        'save ""',
        `maxmemory ${MAX_MEMORY_MIB}mb`,
        "maxmemory-policy noeviction",
      ],
      resources: burstable({ cpu: 0.05, memoryGiB: 0.125 }, { cpu: 1, memoryGiB: 0.5 }),
      volume: { sizeGiB: STATE_GIB, storageClass: cluster.storageClass },
    },
    opts,
  );
  return {
    options: {
      redisAddress: `${CLUSTER_STATE}:${VALKEY_PORT}`,
      redisPassword: { valueFrom: { secretKeyRef: { name: named(secret, CLUSTER_STATE), key: PASSWORD_KEY } } },
    },
    resources: workload.ready,
  };
}

/** The pods of its Valkey. */
function statePods({ name }: Pick<ModelPlan, "name">): PodSelection {
  return { namespace: modelNamespaceName(name), podLabels: selectorLabels(CLUSTER_STATE, CLUSTER_STATE) };
}

/** Workers ask the head alone. */
export function clusterStateConnection(model: ModelPlan): Connection {
  return connect({
    name: `model-${model.name}-head-to-state`,
    reason: "The head of a Ray cluster keeps the cluster's state where the next head finds it",
    from: rayPods(model, "head"),
    to: statePods(model),
    ports: [VALKEY_PORT],
  });
}
