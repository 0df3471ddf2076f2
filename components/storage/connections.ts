import { MODEL_LABEL } from "../../names/labels";
import { MODEL_STORE_NAMESPACE, modelNamespaceName } from "../../names/namespaces";
import { isCached } from "../../planner/storage";
import type { DeploymentPlan, ModelPlan } from "../../planner/types";
import { type Connection, connect, podsIn } from "../core/connections";
import { type ClusterNetworks, toKubernetesApi } from "../core/network";
import { outsideEnds } from "../core/outside";
import { type HubAccess, hubEnd } from "./hub-access";
import { syncPods } from "./model-sync";
import { sourceServer } from "./source-servers";
import { hasSyncJob, nodeCachePods, synchronizedAdapters } from "./store-layout";
import { type StoreBucket, storeEnds } from "./store-server";

/**
 * Who reads and fills the model store.
 *
 * @param storage says which of the models go through the store.
 * @param models the environment's.
 * @param options `isBundled`: a folder on a node has the models, nothing is downloaded. `access`: where downloads come from.
 * `bucket`: the store, where it is elsewhere.
 */
export function storeConnections(
  { storage, models }: Pick<DeploymentPlan, "storage" | "models">,
  networks: ClusterNetworks,
  {
    isBundled = false,
    access = {},
    bucket,
  }: { readonly isBundled?: boolean; readonly access?: HubAccess; readonly bucket?: StoreBucket | undefined } = {},
): Connection[] {
  if (storage.backend === "none") {
    return [];
  }
  const hub = hubEnd(access, networks);
  const readers = storage.models.map((name) => podsIn(modelNamespaceName(name)));
  const { to, port } = storeEnds(bucket, networks);
  const ports = [port];
  return [
    connect({
      name: "jobs-to-model-store",
      reason: bucket ? "Jobs fill the store" : "Jobs of the store set it up and fill it",
      from: podsIn(MODEL_STORE_NAMESPACE),
      to,
      ports,
    }),
    ...(readers.length > 0
      ? [connect({ name: "models-to-model-store", reason: "Models read their weights", from: readers, to, ports })]
      : []),
    ...(models.some(isCached)
      ? [
          connect({
            name: "node-caches-to-model-store",
            reason: "Caches of nodes copy weights",
            from: nodeCachePods,
            to,
            ports,
          }),
          toKubernetesApi("node-caches", nodeCachePods, networks),
        ]
      : []),
    ...sourceConnections(models, networks, access),
    ...(models.some(readsHub) && !isBundled
      ? [
          connect({
            name: "model-sync-to-hugging-face",
            reason: "The Jobs that fill the store download models",
            from: syncPods,
            to: hub.to,
            ports: [hub.port],
          }),
        ]
      : []),
    ...(models.some(hasSyncJob) ? [toKubernetesApi("model-sync", syncPods, networks)] : []),
  ];
}

/** Whether its Job downloads something from the Hub. */
function readsHub(model: ModelPlan): boolean {
  return model.source.kind === "huggingface" || synchronizedAdapters(model).length > 0;
}

/** Each Job reaches the bucket or registry that its own model is copied from, and no other. */
function sourceConnections(models: readonly ModelPlan[], networks: ClusterNetworks, access: HubAccess): Connection[] {
  return models.flatMap((model) => {
    const source = sourceServer(model, access);
    return source === undefined
      ? []
      : [
          connect({
            name: `sync-of-${model.name}-to-its-${source.kind}`,
            reason: `The Job of a model copies it from the ${source.kind} that its source names`,
            from: { ...syncPods, podLabels: { ...syncPods.podLabels, [MODEL_LABEL]: model.name } },
            to: outsideEnds(source.address, networks),
            ports: source.ports,
          }),
        ];
  });
}
