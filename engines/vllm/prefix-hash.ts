import { compareVersions } from "../../names/versions";
import type { ServedModel } from "../served-model";
import table from "./releases.json";

/** Flag for the token hash of blocks in the prefix cache. */
export const PREFIX_HASH = "prefix-caching-hash-algo";

/** Collision-resistant hashes. */
export const PREFIX_HASHES: readonly string[] = table.prefixHash.collisionFree;

/**
 * Value that the platform sets to isolate consumers; undefined if it is the release's default, or
 * the user sets it.
 */
export function prefixHash({
  engineVersion,
  args = {},
}: Pick<ServedModel, "engineVersion" | "args">): string | undefined {
  const isDefault = compareVersions(engineVersion, table.prefixHash.defaultSince) >= 0;
  return isDefault || args[PREFIX_HASH] !== undefined ? undefined : table.prefixHash.default;
}
