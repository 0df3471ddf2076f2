import { type Field, UNKNOWN } from "./field";
import type { Resource } from "./resource";

/** Buckets of S3, under both names that the provider gives the type. */
export const S3_BUCKETS: readonly string[] = ["aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2"];

/**
 * True when a resource of type `type` configures this S3 bucket. In AWS the settings of a bucket are
 * resources of their own, which name the bucket in their property `bucket`. A name that was computed from the
 * bucket is the bucket's, whatever the bucket's own inputs say: with `bucketPrefix` they hold no name.
 */
export function hasCompanion(bucket: Resource, type: string, resources: readonly Resource[]): boolean {
  return resources.some((candidate) => {
    if (candidate.type !== type) {
      return false;
    }
    const name = candidate.props.get("bucket");
    const origins = candidate.dependenciesOf("bucket");
    if (origins?.includes(bucket.urn)) {
      return true;
    }
    // Both names may be computed from one suffix.
    const shared = bucket.dependenciesOf("bucket") ?? [];
    const isOfAnother = name.value === UNKNOWN && origins?.every((origin) => !shared.includes(origin));
    return !isOfAnother && isSame(name, bucket);
  });
}

/** An unknown name gets the benefit of the doubt: the result is then undecided. */
function isSame(name: Field, bucket: Resource): boolean {
  const names = [bucket.props.get("bucket"), bucket.props.get("id")].map((field) => field.value);
  return !name.is((value) => value === undefined || !names.includes(value));
}
