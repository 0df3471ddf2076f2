import { MODEL_STORE_NAMESPACE, modelNamespaceName } from "../../names/namespaces";
import type { ModelPlan } from "../../planner/types";
import { type Connection, connect, podsIn } from "../core/connections";
import { type ClusterNetworks, internet, toKubernetesApi } from "../core/network";
import { syncPods } from "./model-sync";
import { isStored, isSynchronized, modelStorePods } from "./store-layout";

/**
 * Who reads and fills the model store.
 *
 * @param models the environment's; those that do not pass through the store are ignored.
 */
export function storeConnections(models: readonly ModelPlan[], networks: ClusterNetworks): Connection[] {
  const readers = models.filter(isStored).map(({ name }) => podsIn(modelNamespaceName(name)));
  const to = modelStorePods;
  const ports = [modelStorePods.port];
  return [
    connect({
      name: "jobs-to-model-store",
      reason: "Jobs of the store set it up and fill it",
      from: podsIn(MODEL_STORE_NAMESPACE),
      to,
      ports,
    }),
    ...(readers.length > 0
      ? [connect({ name: "models-to-model-store", reason: "Models read their weights", from: readers, to, ports })]
      : []),
    ...(models.some(isSynchronized)
      ? [
          connect({
            name: "model-sync-to-hugging-face",
            reason: "The Jobs that fill the store download models",
            from: syncPods,
            to: internet(networks),
            ports: [443],
          }),
          toKubernetesApi("model-sync", syncPods, networks),
        ]
      : []),
  ];
}
