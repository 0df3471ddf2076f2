import { splitBucketUri } from "../../engines/sources";
import type { ModelSource } from "../../planner/types";
import type { CoreConfig } from "./core/schema";
import { storeBucket } from "./core/store-backend";

/** A prefix of another of these buckets than the store's is copied into the store; any other bucket is the store's own. */
export function placedSource(
  source: ModelSource,
  storage: Pick<CoreConfig["storage"], "backend" | "bucket" | "buckets" | "imageVolumes">,
): ModelSource {
  switch (source.kind) {
    case "bucket": {
      const { bucket } = splitBucketUri(source.uri);
      const isCopied = bucket !== storeBucket(storage) && Object.hasOwn(storage.buckets, bucket);
      return isCopied ? { ...source, copied: true } : source;
    }
    case "artifact":
      return storage.imageVolumes ? { ...source, mounted: true } : source;
    default:
      return source;
  }
}
