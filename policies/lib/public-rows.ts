import { isWorldOpen } from "../../names/world-open";
import { isObject, type Value } from "./field";
import { isGiven, isOneOf, isTrue, type Row } from "./rows";

const PRIVATE = "false; machines and databases have private addresses alone";
const BY_THE_GATEWAY = "a route of the inference gateway, whose load balancer its Service makes";
const isNotPrivate = (value: unknown) => !isTrue(value);

const ROWS_OF: readonly (readonly [path: string, types: readonly string[]])[] = [
  [
    "associatePublicIpAddress",
    [
      "aws:ec2/instance:Instance",
      "aws:ec2/launchConfiguration:LaunchConfiguration",
      "aws:ec2/spotInstanceRequest:SpotInstanceRequest",
    ],
  ],
  ["networkInterfaces[].associatePublicIpAddress", ["aws:ec2/launchTemplate:LaunchTemplate"]],
  ["spec.associatePublicIPAddress", ["EC2NodeClass"]],
  ["mapPublicIpOnLaunch", ["aws:ec2/subnet:Subnet", "aws:ec2/defaultSubnet:DefaultSubnet"]],
  [
    "publiclyAccessible",
    [
      "aws:dms/replicationInstance:ReplicationInstance",
      "aws:mq/broker:Broker",
      "aws:rds/clusterInstance:ClusterInstance",
      "aws:rds/instance:Instance",
      "aws:redshift/cluster:Cluster",
    ],
  ],
];

const OPEN_ZFS = [
  ["aws:fsx/openZfsVolume:OpenZfsVolume", "nfsExports"],
  ["aws:fsx/openZfsFileSystem:OpenZfsFileSystem", "rootVolumeConfiguration.nfsExports"],
] as const;

/** Networks that cover all addresses only together. */
function isTogetherOpen(options: readonly Value[]): boolean {
  const sources = options.flatMap((option) =>
    isObject(option) && typeof option.source === "string" ? [option.source] : [],
  );
  return isWorldOpen(...sources) && !sources.some(isEverywhere);
}

const isEverywhere = (client: string) => client.trim() === "*" || isWorldOpen(client.trim());

const BLOCKS = ["blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"];

/** Types and properties: @pulumi/aws 7.48.0, @pulumi/oci 4.20.0. */
export const PUBLIC_ROWS: readonly Row[] = [
  ...ROWS_OF.map(([path, on]) => ({ on, path, isWrong: isTrue, allowed: PRIVATE })),
  {
    on: ["aws:alb/loadBalancer:LoadBalancer", "aws:elb/loadBalancer:LoadBalancer", "aws:lb/loadBalancer:LoadBalancer"],
    path: "internal",
    isWrong: isNotPrivate,
    allowed: `true; ${BY_THE_GATEWAY}`,
  },
  {
    on: [
      "oci:LoadBalancer/loadBalancer:LoadBalancer",
      "oci:NetworkLoadBalancer/networkLoadBalancer:NetworkLoadBalancer",
    ],
    path: "isPrivate",
    isWrong: isNotPrivate,
    allowed: `true; ${BY_THE_GATEWAY}`,
  },
  ...BLOCKS.map((path) => ({
    on: [
      "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
      "aws:s3/accountPublicAccessBlock:AccountPublicAccessBlock",
    ],
    path,
    isWrong: (value: unknown) => value !== true,
    allowed: "true",
  })),
  ...BLOCKS.map((name) => ({
    on: ["aws:s3/accessPoint:AccessPoint"],
    path: `publicAccessBlockConfiguration.${name}`,
    isWrong: (value: unknown) => value === false,
    allowed: "true",
  })),
  {
    on: ["aws:s3/bucketWebsiteConfiguration:BucketWebsiteConfiguration"],
    path: "bucket",
    isWrong: () => true,
    found: "is served as a website",
    allowed: "buckets that are read with credentials",
  },
  {
    on: ["aws:lambda/functionUrl:FunctionUrl"],
    path: "authorizationType",
    isWrong: (value) => value === "NONE",
    allowed: "AWS_IAM",
  },
  {
    on: ["aws:ec2/amiLaunchPermission:AmiLaunchPermission"],
    path: "group",
    isWrong: (value) => value === "all",
    allowed: "an account by its number",
  },
  {
    on: ["aws:ec2/eip:Eip"],
    path: "instance",
    isWrong: isGiven,
    allowed: "no public address of a machine; addresses of NAT gateways",
  },
  {
    on: ["aws:ec2/eipAssociation:EipAssociation"],
    path: "allocationId",
    isWrong: isGiven,
    allowed: "no public address of a machine; addresses of NAT gateways",
  },
  {
    on: ["oci:Core/publicIp:PublicIp"],
    path: "privateIpId",
    isWrong: isGiven,
    allowed: "no public address of a machine",
  },
  {
    on: ["oci:Core/instance:Instance"],
    path: "createVnicDetails.assignPublicIp",
    isWrong: (value) => String(value) !== "false",
    allowed: "false",
  },
  {
    // The default depends on the subnet: a public one assigns public addresses.
    on: ["oci:Core/instanceConfiguration:InstanceConfiguration"],
    path: "instanceDetails.launchDetails.createVnicDetails.assignPublicIp",
    isWrong: (value) => value !== false,
    allowed: "false",
  },
  {
    on: ["oci:ObjectStorage/bucket:Bucket"],
    path: "accessType",
    isWrong: (value) => value !== undefined && value !== "NoPublicAccess",
    allowed: "NoPublicAccess",
  },
  {
    on: ["oci:ObjectStorage/preauthrequest:Preauthrequest"],
    path: "accessType",
    isWrong: () => true,
    allowed: "no pre-authenticated request: anyone with its URL can read the objects",
  },
  {
    // Defaults, as documented: 0.0.0.0/0, READ_WRITE and NONE; an empty list exports to none.
    on: ["oci:FileStorage/export:Export"],
    path: "exportOptions",
    isWrong: (options) => !Array.isArray(options) || isTogetherOpen(options),
    allowed:
      "exportOptions with the networks of the clients: otherwise all clients that reach the mount target can mount it",
  },
  {
    on: ["oci:FileStorage/export:Export"],
    path: "exportOptions[].source",
    isWrong: (source) => typeof source === "string" && isEverywhere(source),
    allowed: "the network of the clients",
  },
  {
    on: ["oci:FileStorage/export:Export"],
    path: "exportOptions[].identitySquash",
    isWrong: (squash) => typeof squash === "string" && squash.toUpperCase() === "NONE",
    allowed: "ROOT or ALL: otherwise root on a client is root on the file system",
  },
  {
    on: ["oci:FileStorage/export:Export"],
    path: "exportOptions[].isAnonymousAccessAllowed",
    isWrong: isTrue,
    allowed: "false",
  },
  ...OPEN_ZFS.flatMap(([type, exports]): Row[] => [
    {
      on: [type],
      path: `${exports}.clientConfigurations[].clients`,
      isWrong: (clients) => typeof clients === "string" && isEverywhere(clients),
      allowed: "the network of the clients",
    },
    {
      on: [type],
      path: `${exports}.clientConfigurations[].options[]`,
      isWrong: isOneOf("no_root_squash"),
      allowed: "root_squash: otherwise root on a client is root on the file system",
    },
  ]),
  {
    on: ["oci:ApiGateway/gateway:Gateway"],
    path: "endpointType",
    isWrong: (value) => value === "PUBLIC",
    allowed: `PRIVATE; ${BY_THE_GATEWAY}`,
  },
];
