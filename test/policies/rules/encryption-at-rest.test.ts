import { encryptionAtRest } from "../../../policies/rules/encryption-at-rest";
import { plan, policyCases, resource, UNKNOWN } from "../cases";

const development = plan({ stage: "development" });
const storageClass = (provisioner: unknown, parameters?: object) =>
  resource("kubernetes:storage.k8s.io/v1:StorageClass", { metadata: { name: "fast" }, provisioner, parameters });
const nodePool = (nodeShape: string, isPvEncryptionInTransitEnabled?: boolean) =>
  resource("oci:ContainerEngine/nodePool:NodePool", {
    nodeShape,
    nodeConfigDetails: { kmsKeyId: "ocid1.key", isPvEncryptionInTransitEnabled },
  });
const machines = (shape: unknown, launch: object) =>
  resource("oci:Core/instanceConfiguration:InstanceConfiguration", {
    instanceDetails: { launchDetails: { shape, sourceDetails: { kmsKeyId: "ocid1.key" }, ...launch } },
  });
const template = (blockDeviceMappings: unknown) =>
  resource("aws:ec2/launchTemplate:LaunchTemplate", { blockDeviceMappings });
const bucket = resource("aws:s3/bucket:Bucket", {}, { name: "models" });
const sse = (target: unknown, kmsMasterKeyId?: string) =>
  resource("aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration", {
    bucket: target,
    rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "aws:kms", kmsMasterKeyId } }],
  });

policyCases(encryptionAtRest, [
  ["an encrypted EBS volume", [resource("aws:ebs/volume:Volume", { encrypted: true, kmsKeyId: "arn:key" })], "pass"],
  ["a bucket with its key", [resource("oci:ObjectStorage/bucket:Bucket", { kmsKeyId: "ocid1.key" })], "pass"],
  [
    "development needs no key of its own",
    [development, resource("oci:ObjectStorage/bucket:Bucket", {}), bucket],
    "pass",
  ],
  [
    "EKS with a key",
    [resource("aws:eks/cluster:Cluster", { encryptionConfig: { provider: { keyArn: "arn:key" } } })],
    "pass",
  ],
  ["an S3 bucket with its configuration", [bucket, sse("models-id", "arn:key")], "pass"],
  ["launch template, flag as text", [template([{ ebs: { encrypted: "true" } }])], "pass"],
  ["bare metal has no in-transit encryption of volumes", [nodePool("BM.GPU.H100.8")], "pass"],
  [
    "machines that join by themselves",
    [machines("VM.Standard.E5.Flex", { isPvEncryptionInTransitEnabled: true })],
    "pass",
  ],
  ["bare metal that joins by itself", [machines("BM.GPU.H100.8", { isPvEncryptionInTransitEnabled: false })], "pass"],
  ["other storage drivers", [storageClass("rancher.io/local-path")], "pass"],
  [
    "EBS storage class",
    [storageClass("ebs.csi.eks.amazonaws.com", { encrypted: "true", kmsKeyId: "arn:key" })],
    "pass",
  ],

  [
    "a plain EBS volume",
    [development, resource("aws:ebs/volume:Volume", {})],
    ['aws:ebs/volume:Volume "subject": encrypted is not set; allowed: true'],
  ],
  [
    "a plain database",
    [resource("aws:rds/instance:Instance", { storageEncrypted: false })],
    ["storageEncrypted is false", "kmsKeyId is not set"],
  ],
  [
    "a bucket without a key",
    [resource("oci:ObjectStorage/bucket:Bucket", {})],
    ["kmsKeyId is not set; allowed: the id of a KMS key"],
  ],
  ["OKE without a key", [resource("oci:ContainerEngine/cluster:Cluster", {})], ["kmsKeyId"]],
  ["EKS without a key", [resource("aws:eks/cluster:Cluster", {})], ["encryptionConfig.provider.keyArn is not set"]],
  [
    "a VM node pool in transit",
    [nodePool("VM.GPU.A10.1")],
    ["isPvEncryptionInTransitEnabled is not set; allowed: true"],
  ],
  [
    "machines without a key for their disks, in the clear on their way there",
    [machines("VM.Standard.E5.Flex", { sourceDetails: {} })],
    [
      "instanceDetails.launchDetails.sourceDetails.kmsKeyId is not set",
      "instanceDetails.launchDetails.isPvEncryptionInTransitEnabled is not set",
    ],
  ],
  [
    "machines whose key is not known yet",
    [machines("BM.GPU.H100.8", { sourceDetails: { kmsKeyId: UNKNOWN } })],
    "unknown",
  ],
  ["a launch template without mappings", [template(undefined)], ["blockDeviceMappings is not set"]],
  [
    "one plain disk of several",
    [template([{ ebs: { encrypted: true } }, { ebs: {} }])],
    ["blockDeviceMappings[1].ebs.encrypted is not set"],
  ],
  [
    "EBS storage class without encryption",
    [storageClass("ebs.csi.aws.com")],
    ["parameters.encrypted", "parameters.kmsKeyId"],
  ],
  ["OCI storage class without a key", [storageClass("blockvolume.csi.oraclecloud.com", {})], ["parameters.kms-key-id"]],
  ["an S3 bucket without configuration", [bucket], ["bucket has no encryption configuration"]],
  ["the configuration of another bucket", [bucket, sse("other", "arn:key")], ["has no encryption configuration"]],
  ["an S3 configuration without a key", [bucket, sse("models-id")], ["kmsMasterKeyId is not set"]],

  ["unknown key", [resource("oci:ObjectStorage/bucket:Bucket", { kmsKeyId: UNKNOWN })], "unknown"],
  ["unknown flag", [resource("aws:ebs/volume:Volume", { encrypted: UNKNOWN, kmsKeyId: UNKNOWN })], "unknown"],
  ["unknown bucket of a configuration", [bucket, sse(UNKNOWN, "arn:key")], "unknown"],
]);
