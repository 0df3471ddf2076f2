import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { ModelBucket } from "../../../../components/cluster/eks/model-bucket";
import { deploy, resolved } from "../../../harness/deploy";

const BUCKET = "aws:s3/bucket:Bucket";
const KEY_ARN = "arn:aws:kms:us-east-1:111122223333:key/volumes";

async function bucket({ environment = "test", protect = false } = {}) {
  let made: ModelBucket | undefined;
  const deployment = await deploy(() => {
    made = new ModelBucket("models", {
      settings: { environment, protect },
      keys: { volumesKeyArn: pulumi.output(KEY_ARN) },
    });
  });
  const of = (type: string, name: string) => deployment.resource(`aws:s3/${type}`, `models-${name}`).inputs;
  return { deployment, bucket: made as unknown as ModelBucket, of };
}

describe("ModelBucket", () => {
  it("is closed to the public, encrypted with our key, versioned and its owner's alone", async () => {
    const { of, bucket: made } = await bucket();
    expect(of("bucket:Bucket", "bucket")).toEqual({ bucketPrefix: "test-models-", forceDestroy: false });
    const name = "offline-models-bucket";
    expect(of("bucketPublicAccessBlock:BucketPublicAccessBlock", "private")).toEqual({
      bucket: name,
      blockPublicAcls: true,
      blockPublicPolicy: true,
      ignorePublicAcls: true,
      restrictPublicBuckets: true,
    });
    expect(of("bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration", "encryption")).toEqual(
      {
        bucket: name,
        rules: [
          {
            applyServerSideEncryptionByDefault: { sseAlgorithm: "aws:kms", kmsMasterKeyId: KEY_ARN },
            bucketKeyEnabled: true,
          },
        ],
      },
    );
    expect(of("bucketVersioning:BucketVersioning", "versions")).toEqual({
      bucket: name,
      versioningConfiguration: { status: "Enabled" },
    });
    expect(of("bucketOwnershipControls:BucketOwnershipControls", "ownership")).toEqual({
      bucket: name,
      rule: { objectOwnership: "BucketOwnerEnforced" },
    });
    expect(await resolved(made.bucketName)).toBe(name);
  });

  it("refuses whoever comes without TLS, to the bucket and to what is in it", async () => {
    const { of } = await bucket();
    const { policy } = of("bucketPolicy:BucketPolicy", "tls");
    expect(JSON.parse(String(policy)).Statement).toEqual([
      {
        Sid: "TlsAlone",
        Effect: "Deny",
        Principal: "*",
        Action: ["s3:*"],
        Resource: ["arn:aws:s3:::offline-models-bucket", "arn:aws:s3:::offline-models-bucket/*"],
        Condition: { Bool: { "aws:SecureTransport": "false" } },
      },
    ]);
  });

  it("forgets uploads that never ended, and old versions after a month", async () => {
    const { of } = await bucket();
    const { rules } = of("bucketLifecycleConfiguration:BucketLifecycleConfiguration", "lifecycle");
    expect(rules).toEqual([
      {
        id: "unfinished-uploads",
        status: "Enabled",
        filter: { prefix: "" },
        abortIncompleteMultipartUpload: { daysAfterInitiation: 7 },
      },
      {
        id: "old-versions",
        status: "Enabled",
        filter: { prefix: "" },
        noncurrentVersionExpiration: { noncurrentDays: 30 },
      },
    ]);
  });

  it("stays as closed as it is when all else is destroyed, and is protected in production", async () => {
    const { deployment } = await bucket({ protect: true });
    const parts = deployment.recording.resources.filter(({ type }) => type.startsWith("aws:s3/"));
    expect(parts).toHaveLength(7);
    expect(parts.every(({ options }) => options.retainOnDelete)).toBe(true);
    expect(deployment.resource(BUCKET, "models-bucket").options.protect).toBe(true);
    expect((await bucket()).deployment.resource(BUCKET, "models-bucket").options.protect).toBe(false);
  });

  it("leaves room in its name for what makes it unique", async () => {
    const { of } = await bucket({ environment: "a".repeat(60) });
    expect(of("bucket:Bucket", "bucket").bucketPrefix).toHaveLength(37);
  });
});
