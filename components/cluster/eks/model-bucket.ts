import { Bucket } from "@pulumi/aws/s3/bucket";
import { BucketLifecycleConfiguration } from "@pulumi/aws/s3/bucketLifecycleConfiguration";
import { BucketOwnershipControls } from "@pulumi/aws/s3/bucketOwnershipControls";
import { BucketPolicy } from "@pulumi/aws/s3/bucketPolicy";
import { BucketPublicAccessBlock } from "@pulumi/aws/s3/bucketPublicAccessBlock";
import { BucketServerSideEncryptionConfiguration } from "@pulumi/aws/s3/bucketServerSideEncryptionConfiguration";
import { BucketVersioning } from "@pulumi/aws/s3/bucketVersioning";
import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import { iamDocument } from "./iam-document";
import type { EksKeys } from "./keys";
import type { EksSettings } from "./settings";

export interface ModelBucketArgs {
  readonly settings: Pick<EksSettings, "environment" | "protect">;
  readonly keys: Pick<EksKeys, "volumesKeyArn">;
}

/** Days for which what was overwritten or deleted can be had back. Models are large. */
const UNDO_DAYS = 30;
/** Days after which parts of an upload that never ended are removed: nobody sees them, and they are billed. */
const UPLOAD_DAYS = 7;
/** S3 adds 26 characters, and takes 63 in all. */
const LONGEST_PREFIX = 37;

/**
 * A private bucket for models: encrypted with a key of ours, versioned, over TLS alone. It outlives the stack with all of
 * its settings, so that it is no less private when nobody looks after it. Names of buckets are the whole world's: this one
 * begins with the environment's, and S3 makes it unique.
 */
export class ModelBucket extends PlatformComponent {
  readonly bucketName: pulumi.Output<string>;

  constructor(name: string, { settings, keys }: ModelBucketArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:ModelBucket", name, opts);
    const options = this.childOptions({ retainOnDelete: true });
    const made = new Bucket(
      this.child("bucket"),
      { bucketPrefix: bucketPrefix(settings.environment), forceDestroy: false },
      { ...options, protect: settings.protect },
    );
    const bucket = made.bucket;
    const closed = new BucketPublicAccessBlock(
      this.child("private"),
      { bucket, blockPublicAcls: true, blockPublicPolicy: true, ignorePublicAcls: true, restrictPublicBuckets: true },
      options,
    );
    new BucketOwnershipControls(
      this.child("ownership"),
      { bucket, rule: { objectOwnership: "BucketOwnerEnforced" } },
      options,
    );
    new BucketServerSideEncryptionConfiguration(
      this.child("encryption"),
      {
        bucket,
        rules: [
          {
            applyServerSideEncryptionByDefault: { sseAlgorithm: "aws:kms", kmsMasterKeyId: keys.volumesKeyArn },
            // One question to KMS for many objects: each has its price.
            bucketKeyEnabled: true,
          },
        ],
      },
      options,
    );
    const versioning = new BucketVersioning(
      this.child("versions"),
      { bucket, versioningConfiguration: { status: "Enabled" } },
      options,
    );
    new BucketLifecycleConfiguration(
      this.child("lifecycle"),
      {
        bucket,
        rules: [
          {
            id: "unfinished-uploads",
            status: "Enabled",
            filter: { prefix: "" },
            abortIncompleteMultipartUpload: { daysAfterInitiation: UPLOAD_DAYS },
          },
          {
            id: "old-versions",
            status: "Enabled",
            filter: { prefix: "" },
            noncurrentVersionExpiration: { noncurrentDays: UNDO_DAYS },
          },
        ],
      },
      { ...options, dependsOn: [versioning] },
    );
    new BucketPolicy(
      this.child("tls"),
      { bucket, policy: made.arn.apply(tlsAlone) },
      // S3 refuses two changes of a bucket's access at one time.
      { ...options, dependsOn: [closed] },
    );
    this.bucketName = bucket;
    this.registerOutputs({});
  }
}

function tlsAlone(bucketArn: string): string {
  return iamDocument([
    {
      Sid: "TlsAlone",
      Effect: "Deny",
      Principal: "*",
      Action: ["s3:*"],
      Resource: [bucketArn, `${bucketArn}/*`],
      Condition: { Bool: { "aws:SecureTransport": "false" } },
    },
  ]);
}

function bucketPrefix(environment: string): string {
  return `${environment.slice(0, LONGEST_PREFIX - "-models-".length)}-models-`;
}
