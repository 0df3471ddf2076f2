/** What outlives the head of a Ray cluster: its state, in a Valkey of the model's own. */
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

/** A cluster keeps some hundred kilobytes, and each change of the model makes a cluster whose predecessor's stay. */
const MAX_MEMORY_MIB = 192;

export interface RayClusterStateArgs {
  readonly namespace: pulumi.Input<string>;
  readonly cluster: VolumeClasses;
}

/**
 * A Valkey on a volume that logs every write: with it a head that starts again knows its nodes, and the workers answer meanwhile.
 * The operator names each cluster's part of it by the cluster's UID.
 *
 * @param name prefix of the logical names of what it makes, children of the parent that `opts` names.
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
      // What is evicted would be lost to a running cluster. A rewrite of the log forks: at worst the data is in memory twice.
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
