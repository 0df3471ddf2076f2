import { type Field, UNKNOWN } from "./field";
import type { Resource } from "./resource";

/** S3 buckets, under both type names of the provider. */
export const S3_BUCKETS: readonly string[] = ["aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2"];

/**
 * True when a resource of type `type` configures this S3 bucket: AWS keeps a bucket's settings in
 * separate resources, which name it in `bucket`. A name computed from the bucket is the bucket's
 * even where its inputs hold none (`bucketPrefix`).
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

/** An unknown name may be the same: the result is then undecided. */
function isSame(name: Field, bucket: Resource): boolean {
  const names = [bucket.props.get("bucket"), bucket.props.get("id")].map((field) => field.value);
  return !name.is((value) => value === undefined || !names.includes(value));
}
