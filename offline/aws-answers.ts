import type { ProviderFunction } from "./answers";

/** Account and region that an offline run is in: the numbers of Amazon's own examples. */
export const OFFLINE_AWS = { accountId: "111122223333", region: "us-east-1", partition: "aws" } as const;

/** An administrator of aws-prod: whoever deploys must be one. */
const DEPLOYER = "platform-engineers";
const { accountId, region, partition } = OFFLINE_AWS;

/** What Amazon's functions answer in an offline run, in the form that the real ones have. */
export const AWS_CALLS: Readonly<Record<string, ProviderFunction>> = {
  "aws:index/getCallerIdentity:getCallerIdentity": (inputs) => ({
    ...inputs,
    id: accountId,
    accountId,
    arn: `arn:${partition}:sts::${accountId}:assumed-role/${DEPLOYER}/session`,
    userId: "AROAOFFLINE:session",
  }),
  "aws:index/getPartition:getPartition": (inputs) => ({
    ...inputs,
    id: partition,
    partition,
    dnsSuffix: "amazonaws.com",
    reverseDnsPrefix: "com.amazonaws",
  }),
  // Every zone has every shape, and quotas have room.
  "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": (inputs) => {
    const shapes = (inputs.filters as { values: string[] }[]).flatMap(({ values }) => values);
    const zones = ["a", "b", "c", "d", "e", "f"].map((letter) => `${region}${letter}`);
    const all = shapes.flatMap((shape) => zones.map((zone) => ({ shape, zone })));
    return {
      ...inputs,
      id: region,
      region,
      instanceTypes: all.map(({ shape }) => shape),
      locations: all.map(({ zone }) => zone),
      locationTypes: all.map(() => "availability-zone"),
    };
  },
  "aws:servicequotas/getServiceQuota:getServiceQuota": (inputs) => ({ ...inputs, value: 10_000 }),
};

/** The rest of an ARN after the partition, by type of resource, from its physical name. */
const ARNS: Readonly<Record<string, (name: string) => string>> = {
  "aws:cloudwatch/eventRule:EventRule": (name) => `events:${region}:${accountId}:rule/${name}`,
  "aws:cloudwatch/logGroup:LogGroup": (name) => `logs:${region}:${accountId}:log-group:${name}`,
  "aws:eks/cluster:Cluster": (name) => `eks:${region}:${accountId}:cluster/${name}`,
  "aws:iam/instanceProfile:InstanceProfile": (name) => `iam::${accountId}:instance-profile/${name}`,
  "aws:iam/policy:Policy": (name) => `iam::${accountId}:policy/${name}`,
  "aws:iam/role:Role": (name) => `iam::${accountId}:role/${name}`,
  "aws:kms/key:Key": (name) => `kms:${region}:${accountId}:key/${name}`,
  "aws:s3/bucket:Bucket": (name) => `s3:::${name}`,
  "aws:sqs/queue:Queue": (name) => `sqs:${region}:${accountId}:${name}`,
};

/** What only Amazon knows of a resource once it is made, by type. */
const KNOWN_LATER: Readonly<Record<string, (name: string) => Record<string, unknown>>> = {
  "aws:ec2/vpc:Vpc": (name) => ({
    defaultSecurityGroupId: `offline-${name}-default-group`,
    mainRouteTableId: `offline-${name}-main-routes`,
  }),
  "aws:ec2/eip:Eip": () => ({ publicIp: "198.51.100.7" }),
  "aws:ec2/launchTemplate:LaunchTemplate": () => ({ latestVersion: 1, defaultVersion: 1 }),
  "aws:kms/key:Key": (name) => ({ keyId: name }),
  "aws:s3/bucket:Bucket": (name) => ({ bucket: name }),
  "aws:sqs/queue:Queue": (name) => ({ url: `https://sqs.${region}.amazonaws.com/${accountId}/${name}` }),
};

/** Outputs of a resource besides its inputs. Undefined: it is no resource of Amazon's. */
export function awsState(
  type: string,
  name: string,
  inputs: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  if (!type.startsWith("aws:")) {
    return undefined;
  }
  // Without one that is said, a name is made up from the logical one.
  const physical = typeof inputs.name === "string" ? inputs.name : `offline-${name}`;
  const arn = ARNS[type]?.(physical);
  return {
    ...KNOWN_LATER[type]?.(physical),
    name: physical,
    ...inputs,
    ...(arn !== undefined && { arn: `arn:${partition}:${arn}` }),
    ...(type === "aws:eks/cluster:Cluster" && clusterState(inputs)),
  };
}

/** The network of a cluster is an argument and an output in one. */
function clusterState({ vpcConfig }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    endpoint: "https://10.0.0.2",
    certificateAuthority: { data: "" },
    identities: [{ oidcs: [{ issuer: `https://oidc.eks.${region}.amazonaws.com/id/OFFLINE` }] }],
    vpcConfig: {
      ...(vpcConfig as Record<string, unknown>),
      clusterSecurityGroupId: "offline-cluster-group",
      vpcId: "offline-vpc",
    },
  };
}
