/** Buckets elsewhere that models are copied from: which one a model's is, and how its Job gets the keys. */
import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { splitBucketUri } from "../../engines/sources";
import type { ModelPlan } from "../../planner/types";
import type { SourceBucket } from "./hub-access";

const KEYS_FOLDER = "/etc/source-keys";
const KEYS = "keys";

/** Name of the Secret with a bucket's keys, in the store's namespace. */
export function sourceSecretName(bucket: string): string {
  return `source-${bucket}`;
}

/** Content of that Secret. */
export function sourceSecret(keys: pulumi.Input<string>): Record<string, pulumi.Input<string>> {
  return { [KEYS]: keys };
}

export interface NamedBucket extends SourceBucket {
  readonly bucket: string;
  /** Without slashes at its ends. */
  readonly prefix: string;
}

/** Undefined for a model that comes from elsewhere. */
export function sourceBucket(
  { source }: Pick<ModelPlan, "source">,
  buckets: Readonly<Record<string, SourceBucket>>,
): NamedBucket | undefined {
  if (source.kind !== "bucket" || !source.copied) {
    return undefined;
  }
  const { bucket, prefix } = splitBucketUri(source.uri);
  const settings = Object.hasOwn(buckets, bucket) ? buckets[bucket] : undefined;
  return settings && { ...settings, bucket, prefix };
}

/** What a Job that reads the bucket is told and mounts. */
export interface SourceAccess {
  readonly environment: readonly kubernetes.types.input.core.v1.EnvVar[];
  readonly volumes: readonly kubernetes.types.input.core.v1.Volume[];
  readonly mounts: readonly kubernetes.types.input.core.v1.VolumeMount[];
}

/** @param secretName of the bucket's keys. @default requests are not signed */
export function sourceAccess(source: NamedBucket, secretName: pulumi.Input<string> | undefined): SourceAccess {
  const { url, bucket, prefix, region } = source;
  const name = "source-keys";
  return {
    environment: [
      { name: "SOURCE_ENDPOINT", value: url.replace(/\/+$/, "") },
      { name: "SOURCE_BUCKET", value: bucket },
      { name: "SOURCE_PREFIX", value: prefix },
      { name: "SOURCE_REGION", value: region },
      ...(secretName === undefined ? [] : [{ name: "SOURCE_KEYS_PATH", value: `${KEYS_FOLDER}/${KEYS}` }]),
    ],
    volumes: secretName === undefined ? [] : [{ name, secret: { secretName } }],
    mounts: secretName === undefined ? [] : [{ name, mountPath: KEYS_FOLDER, readOnly: true }],
  };
}
