import type { PrefixReuse } from "../engine";
import type { ModelTask, ServedModel } from "../served-model";
import { readVllmFlags } from "./flags";
import { kvConnectors } from "./kv-connectors";
import { featureGap } from "./releases";

/**
 * Connectors whose caches are keyed by vLLM's own block hashes, which the salt is part of; LMCache keys by tokens alone (lmcache_connector.py
 * and offloading of vllm/distributed/kv_transfer/kv_connector/v1 of 0.32.0; LMCache/LMCache#2878).
 */
const KEEP_SALT: ReadonlySet<string> = new Set(["NixlConnector", "OffloadingConnector"]);

/** Row of `releases.json` with the first release whose requests carry the salt into the cache. */
const SALTED_SINCE = {
  chat: "cacheSalt",
  completion: "cacheSalt",
  embedding: "poolingCacheSalt",
  rerank: "rerankCacheSalt",
} as const satisfies Readonly<Record<ModelTask, string>>;

/** What vLLM makes of prompts that begin alike: it caches them unless it is told not to, and parts that cache by a field of the request. */
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
 * What it computed of an image lies under the image's hash: in the processor's cache, which an option ends, and in that of the encoder's output, which none ends
 * (v1/core/encoder_cache_manager.py of 0.32.0 and 0.33.0).
 */
export function vllmImageReuse({ args }: Pick<ServedModel, "args">): boolean {
  const { languageModelOnly = false, mediaPerPrompt } = readVllmFlags(args).options;
  return !languageModelOnly && mediaPerPrompt === undefined;
}
