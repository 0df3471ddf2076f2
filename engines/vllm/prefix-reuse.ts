import type { PrefixReuse } from "../engine";
import type { ServedModel } from "../served-model";
import { kvConnectors } from "./kv-connectors";
import { featureGap } from "./releases";

/**
 * Connectors whose caches are keyed by vLLM's own block hashes, which the salt is part of; LMCache keys by tokens alone (lmcache_connector.py
 * and offloading of vllm/distributed/kv_transfer/kv_connector/v1 of 0.32.0; LMCache/LMCache#2878).
 */
const KEEP_SALT: ReadonlySet<string> = new Set(["NixlConnector", "OffloadingConnector"]);

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
  const writes = task === "chat" || task === "completion";
  return featureGap(writes ? "cacheSalt" : "poolingCacheSalt", engineVersion) === undefined ? "salted" : "shared";
}
