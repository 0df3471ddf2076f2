/** Users of the store: what each may do there. Pure. */
import { isCached } from "../../planner/storage";
import type { ModelPlan } from "../../planner/types";
import {
  type AccessPolicy,
  copiesPrefix,
  keeperOf,
  keeperPolicy,
  keyPrefix,
  NODE_CACHE_READER,
  readerOf,
  readerPolicy,
  readPrefixes,
  WRITER,
  writerPolicy,
} from "./store-layout";

export interface StoreRole {
  /** For a server that has a user for each role. */
  readonly policy: AccessPolicy;
  /** For one that has two. */
  readonly writes: boolean;
}

/** By name. @param isFilled false: nothing is ever written there. */
export function storeRoles(
  bucket: string,
  models: readonly ModelPlan[],
  keepers: readonly string[],
  isFilled: boolean,
): Readonly<Record<string, StoreRole>> {
  const reads = (prefixes: readonly string[]): StoreRole => ({ policy: readerPolicy(bucket, prefixes), writes: false });
  const cached = models.filter(isCached).map((model) => keyPrefix(model, bucket));
  return {
    ...(isFilled && { [WRITER]: { policy: writerPolicy(bucket), writes: true } }),
    ...Object.fromEntries(models.map((model) => [readerOf(model.name), reads(readPrefixes(model, bucket))])),
    ...(cached.length > 0 && { [NODE_CACHE_READER]: reads(cached) }),
    ...Object.fromEntries(
      keepers.map((keeper) => [keeperOf(keeper), { policy: keeperPolicy(bucket, copiesPrefix(keeper)), writes: true }]),
    ),
  };
}
