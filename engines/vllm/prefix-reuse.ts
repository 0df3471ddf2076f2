import type { PrefixReuse } from "../engine";
import type { ServedModel } from "../served-model";
import { featureGap } from "./releases";

/** What vLLM makes of prompts that begin alike: it caches them unless it is told not to, and parts that cache by a field of the request. */
export function vllmPrefixReuse({
  engineVersion,
  task,
  args,
}: Pick<ServedModel, "engineVersion" | "task" | "args">): PrefixReuse {
  if (args?.["enable-prefix-caching"] === false) {
    return "none";
  }
  const writes = task === "chat" || task === "completion";
  return featureGap(writes ? "cacheSalt" : "poolingCacheSalt", engineVersion) === undefined ? "salted" : "shared";
}
