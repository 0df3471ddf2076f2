import { type Field, UNKNOWN } from "./field";
import type { Resource } from "./resource";

export const S3_BUCKET = "aws:s3/bucket:Bucket";

/**
 * True when a resource of type `type` configures this S3 bucket. In AWS the settings of a bucket are
 * resources of their own, which name the bucket in their property `bucket`. While that name is unknown,
 * the engine's record of what it was computed from decides.
 */
export function hasCompanion(bucket: Resource, type: string, resources: readonly Resource[]): boolean {
  return resources.some((candidate) => {
    if (candidate.type !== type) {
      return false;
    }
    const name = candidate.props.get("bucket");
    const origins = candidate.dependenciesOf("bucket");
    return name.value === UNKNOWN && origins ? origins.includes(bucket.urn) : isSame(name, bucket);
  });
}

/** An unknown name gets the benefit of the doubt: the result is then undecided. */
function isSame(name: Field, bucket: Resource): boolean {
  const names = [bucket.props.get("bucket"), bucket.props.get("id")].map((field) => field.value);
  return !name.is((value) => value === undefined || !names.includes(value));
}
