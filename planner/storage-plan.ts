/** What takes the place of the store in the cluster: a bucket of `storage.buckets`, or nothing. */
export type StoreElsewhere = "bucket" | "none";

export interface StoragePlan {
  /** Models in the bucket. */
  readonly models: readonly string[];
  readonly bucket: string;
  /** @default MinIO in the cluster */
  readonly backend?: StoreElsewhere;
  /** Volume of the in-cluster store: at least 1.5 × its models; 0 without one. */
  readonly sizeGiB: number;
  /** What the models take in a bucket elsewhere. @default the store is not there */
  readonly bucketGiB?: number;
  /** Cache of weights on each node with a model that uses it. @default none */
  readonly nodeCacheGiB?: number;
}
