/** The cache of weights on nodes, as its pods, engines' pods and policies know it. */

/** Folder on nodes, on the file system of the kubelet: its disk space is what the scheduler counts. */
export const NODE_CACHE_FOLDER = "/var/lib/kubelet/inference-stacks-weights";
/** Name of the DaemonSet and its account. */
export const NODE_CACHE = "node-cache";
/** Claim of a model's folder, in the model's namespace. */
export const NODE_CACHE_CLAIM = "node-cache";
/** Init container of engines that links cached files into the pod. */
export const CACHED_MODEL_CONTAINER = "cached-weights";

/** A model's folder on nodes. */
export function nodeCacheFolder(model: string): string {
  return `${NODE_CACHE_FOLDER}/${model}`;
}
