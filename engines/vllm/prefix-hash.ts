import { compareVersions } from "../../names/versions";
import type { ServedModel } from "../served-model";
import table from "./releases.json";

/** Flag with the hash of a block's tokens, by which vLLM finds it in its prefix cache. */
export const PREFIX_HASH = "prefix-caching-hash-algo";

/** Those of which nobody can compute two prompts with one hash. */
export const PREFIX_HASHES: readonly string[] = table.prefixHash.collisionFree;

/** What the platform writes where consumers are to be kept apart; undefined where it is the release's default, or the user says it. */
export function prefixHash({
  engineVersion,
  args = {},
}: Pick<ServedModel, "engineVersion" | "args">): string | undefined {
  const isDefault = compareVersions(engineVersion, table.prefixHash.defaultSince) >= 0;
  return isDefault || args[PREFIX_HASH] !== undefined ? undefined : table.prefixHash.default;
}
