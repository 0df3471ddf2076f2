import type { PrefixReuse } from "../engine";
import type { ModelTask, ServedModel } from "../served-model";
import { readVllmFlags } from "./flags";
import { kvConnectors } from "./kv-connectors";
import { featureGap } from "./releases";

/**
 * Connectors that key caches by vLLM's block hashes, which include the salt; LMCache keys only by
 * tokens (lmcache_connector.py and offloading of vllm/distributed/kv_transfer/kv_connector/v1 of
 * 0.32.0; LMCache/LMCache#2878).
 */
const KEEP_SALT: ReadonlySet<string> = new Set(["NixlConnector", "OffloadingConnector"]);

/** Row of `releases.json` with the first release whose requests pass the salt to the cache. */
const SALTED_SINCE = {
  chat: "cacheSalt",
  completion: "cacheSalt",
  embedding: "poolingCacheSalt",
  rerank: "rerankCacheSalt",
} as const satisfies Readonly<Record<ModelTask, string>>;

/** Prefix caching of vLLM: on by default, separable by a request field. */
export function vllmPrefixReuse({
  engineVersion,
  task,
  args,
}: Pick<ServedModel, "engineVersion" | "task" | "args">): PrefixReuse {
  if (args?.["enable-prefix-caching"] === false) {
    return "none";
  }
  const transfer = args?.["kv-transfer-config"];
  const connectors = kvConnectors(transfer);
  if (transfer !== undefined && (connectors.length === 0 || connectors.some(({ name }) => !KEEP_SALT.has(name)))) {
    return "shared";
  }
  return featureGap(SALTED_SINCE[task], engineVersion) === undefined ? "salted" : "shared";
}

/**
 * Image results are cached by image hash: in the processor cache, which an option disables, and the
 * encoder output cache, which none does (v1/core/encoder_cache_manager.py of 0.32.0 and 0.33.0).
 */
export function vllmImageReuse({ args }: Pick<ServedModel, "args">): boolean {
  const { languageModelOnly = false, mediaPerPrompt } = readVllmFlags(args).options;
  return !languageModelOnly && mediaPerPrompt === undefined;
}
