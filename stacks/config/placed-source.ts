import { splitBucketUri } from "../../engines/sources";
import type { ModelSource } from "../../planner/types";
import type { CoreConfig } from "./core/schema";

/** A prefix of one of these buckets is copied into the store; any other bucket is the store's own. */
export function placedSource(
  source: ModelSource,
  { buckets, imageVolumes }: Pick<CoreConfig["storage"], "buckets" | "imageVolumes">,
): ModelSource {
  switch (source.kind) {
    case "bucket":
      return Object.hasOwn(buckets, splitBucketUri(source.uri).bucket) ? { ...source, copied: true } : source;
    case "artifact":
      return imageVolumes ? { ...source, mounted: true } : source;
    default:
      return source;
  }
}
