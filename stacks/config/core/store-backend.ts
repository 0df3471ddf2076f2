/** What the model store is: MinIO in the cluster, a bucket of `storage.buckets`, or nothing. */
import type { CoreConfig } from "./schema";

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

/**
 * The bucket that is the store, for the components. Undefined for a store in the cluster, and without a store.
 *
 * @param authorities PEM, by the names of `sourceAuthorities`.
 */
export function storeElsewhere(
  storage: Pick<CoreConfig["storage"], "backend" | "buckets">,
  authorities: Readonly<Record<string, string>> = {},
) {
  const backend = bucketBackend(storage);
  const settings = backend && storage.buckets[backend.bucket];
  if (backend === undefined || settings === undefined) {
    return undefined;
  }
  const { url, region, networks } = settings;
  const text = authorities[sourceAuthorities("buckets", backend.bucket)];
  return { ...backend, url, region, ...(networks && { networks }), ...(text !== undefined && { authorities: text }) };
}

/** Key of the CAs of a bucket or a registry that models are copied from; no model has this name. */
export function sourceAuthorities(kind: "buckets" | "registries", name: string): string {
  return `storage.${kind}.${name}`;
}
