import { noPublicEndpoint } from "../../../policies/rules/no-public-endpoint";
import { object, policyCases, release, resource, UNKNOWN } from "../cases";

const bucket = resource("aws:s3/bucket:Bucket", { bucket: "models" });
const blocked = { blockPublicAcls: true, blockPublicPolicy: true, ignorePublicAcls: true, restrictPublicBuckets: true };
const block = (changes: object) =>
  resource("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", { bucket: "models", ...blocked, ...changes });
const bucketPolicy = (statement: object) =>
  resource("aws:s3/bucketPolicy:BucketPolicy", {
    bucket: "models",
    policy: JSON.stringify({ Version: "2012-10-17", Statement: [statement] }),
  });
const eks = (vpcConfig: unknown) => resource("aws:eks/cluster:Cluster", { vpcConfig });
const oke = (isPublicIpEnabled: unknown) =>
  resource("oci:ContainerEngine/cluster:Cluster", { endpointConfig: { isPublicIpEnabled } });
const service = (type: unknown, metadata: object = {}) =>
  object("core/v1", "Service", { spec: { type } }, { namespace: "model-chat", ...metadata });
const internal = { annotations: { "service.beta.kubernetes.io/oci-load-balancer-internal": "true" } };
const exposedChart = { values: { grafana: { service: { type: "LoadBalancer" } } } };

policyCases(noPublicEndpoint, [
  ["a blocked bucket", [bucket, block({})], "pass"],
  [
    "a policy for one role",
    [bucketPolicy({ Effect: "Allow", Principal: { AWS: "arn:aws:iam::1:role/x" }, Action: "s3:*" })],
    "pass",
  ],
  ["a denial for everyone", [bucketPolicy({ Effect: "Deny", Principal: "*", Action: "s3:*" })], "pass"],
  [
    "everyone under a condition",
    [bucketPolicy({ Effect: "Allow", Principal: "*", Condition: { StringEquals: { x: "y" } } })],
    "pass",
  ],
  ["a private bucket", [resource("oci:ObjectStorage/bucket:Bucket", { accessType: "NoPublicAccess" })], "pass"],
  ["a private EKS", [eks({ endpointPublicAccess: false })], "pass"],
  [
    "EKS for the operators' networks",
    [eks({ endpointPublicAccess: true, publicAccessCidrs: ["192.0.2.0/24"] })],
    "pass",
  ],
  ["a private OKE", [oke(false)], "pass"],
  ["an inner Service", [service("ClusterIP"), service(undefined)], "pass"],
  ["an internal load balancer", [service("LoadBalancer", internal)], "pass"],
  ["the gateway's load balancer", [service("LoadBalancer", { namespace: "inference-gateway" })], "pass"],
  ["the gateway's chart", [release({ ...exposedChart, namespace: "inference-gateway" })], "pass"],

  ["an unblocked bucket", [bucket], ["bucket has no public access block"]],
  [
    "a half-blocked bucket",
    [bucket, block({ blockPublicPolicy: false })],
    ["blockPublicPolicy is false; allowed: true"],
  ],
  ["a public ACL", [resource("aws:s3/bucketAcl:BucketAcl", { acl: "public-read" })], ['acl is "public-read"']],
  [
    "a policy for everyone",
    [bucketPolicy({ Effect: "Allow", Principal: "*", Action: "s3:GetObject" })],
    ["policy is open to everyone"],
  ],
  [
    "a policy for every AWS principal",
    [bucketPolicy({ Effect: "Allow", Principal: { AWS: ["*"] } })],
    ["policy is open to everyone"],
  ],
  [
    "a public OCI bucket",
    [resource("oci:ObjectStorage/bucket:Bucket", { accessType: "ObjectRead" })],
    ['accessType is "ObjectRead"; allowed: NoPublicAccess'],
  ],
  ["EKS by AWS's defaults", [eks({})], ["vpcConfig.publicAccessCidrs is not set"]],
  [
    "EKS open to the world",
    [eks({ publicAccessCidrs: ["0.0.0.0/0"] })],
    ['vpcConfig.publicAccessCidrs is ["0.0.0.0/0"]'],
  ],
  ["EKS open to the world by IPv6", [eks({ publicAccessCidrs: ["::/0"] })], ["::/0"]],
  ["a public OKE", [oke(true)], ["endpointConfig.isPublicIpEnabled is true; allowed: false"]],
  [
    "a public database",
    [resource("aws:rds/instance:Instance", { publiclyAccessible: true })],
    ["publiclyAccessible is true"],
  ],
  ["a load balancer of a model", [service("LoadBalancer")], ['Service "model-chat/chat": spec.type is "LoadBalancer"']],
  ["a load balancer of a chart", [release(exposedChart)], ['values.grafana.service.type is "LoadBalancer"']],

  ["unknown CIDRs", [eks({ publicAccessCidrs: UNKNOWN })], "unknown"],
  ["unknown flag", [oke(UNKNOWN)], "unknown"],
  ["unknown type", [service(UNKNOWN)], "unknown"],
  ["unknown annotations", [service("LoadBalancer", { annotations: UNKNOWN })], "unknown"],
  ["unknown policy", [resource("aws:s3/bucketPolicy:BucketPolicy", { policy: UNKNOWN })], "unknown"],
]);
