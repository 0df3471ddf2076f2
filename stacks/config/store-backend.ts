/** What the model store is: MinIO in the cluster, a bucket of `storage.buckets`, or nothing. */
import type { CoreConfig } from "./core/schema";

type Settings = Pick<CoreConfig["storage"], "backend" | "bucket">;

export type BucketBackend = Extract<CoreConfig["storage"]["backend"], object>;

/** Undefined for a store in the cluster, and without a store. */
export function bucketBackend({ backend }: Pick<Settings, "backend">): BucketBackend | undefined {
  return typeof backend === "object" ? backend : undefined;
}

/** The bucket that engines read. */
export function storeBucket(storage: Settings): string {
  return bucketBackend(storage)?.bucket ?? storage.bucket;
}
