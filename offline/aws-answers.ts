import { type ArnPlace, partitionOf } from "../components/cluster/eks/arn";
import { identityOf } from "../components/cluster/eks/deployer";
import type { EnvironmentConfig } from "../stacks/config";
import type { ProviderFunction } from "./answers";

/** Of a run that names no other place: the numbers of Amazon's own examples. */
export const OFFLINE_AWS: ArnPlace = { accountId: "111122223333", region: "us-east-1", partition: "aws" };

/** An administrator of aws-prod: whoever deploys must be one. */
const DEPLOYER = "platform-engineers";

/** Where an environment is made: in the account that it names, else in that of its first administrator. */
export function awsPlace({ cluster }: Pick<EnvironmentConfig, "cluster">): ArnPlace {
  if (cluster.kind !== "aws" || cluster.eks === undefined) {
    return OFFLINE_AWS;
  }
  const { region, accountId, administrators } = cluster.eks;
  const [first = ""] = administrators;
  return { region, partition: partitionOf(region), accountId: accountId ?? identityOf(first)?.accountId ?? "" };
}

/** What Amazon's functions answer in an offline run, in the form that the real ones have. */
export const awsCalls = ({ accountId, region, partition }: ArnPlace): Readonly<Record<string, ProviderFunction>> => ({
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
});

/** The rest of an ARN after the partition, by type of resource, from its physical name. */
const ARNS: Readonly<Record<string, (name: string, place: ArnPlace) => string>> = {
  "aws:cloudwatch/eventRule:EventRule": (name, { region, accountId }) => `events:${region}:${accountId}:rule/${name}`,
  "aws:cloudwatch/logGroup:LogGroup": (name, { region, accountId }) => `logs:${region}:${accountId}:log-group:${name}`,
  "aws:eks/cluster:Cluster": (name, { region, accountId }) => `eks:${region}:${accountId}:cluster/${name}`,
  "aws:iam/instanceProfile:InstanceProfile": (name, { accountId }) => `iam::${accountId}:instance-profile/${name}`,
  "aws:iam/policy:Policy": (name, { accountId }) => `iam::${accountId}:policy/${name}`,
  "aws:iam/role:Role": (name, { accountId }) => `iam::${accountId}:role/${name}`,
  "aws:kms/key:Key": (name, { region, accountId }) => `kms:${region}:${accountId}:key/${name}`,
  "aws:s3/bucket:Bucket": (name) => `s3:::${name}`,
  "aws:sqs/queue:Queue": (name, { region, accountId }) => `sqs:${region}:${accountId}:${name}`,
};

/** What only Amazon knows of a resource once it is made, by type. */
const KNOWN_LATER: Readonly<Record<string, (name: string, place: ArnPlace) => Record<string, unknown>>> = {
  "aws:ec2/vpc:Vpc": (name) => ({
    defaultSecurityGroupId: `offline-${name}-default-group`,
    mainRouteTableId: `offline-${name}-main-routes`,
  }),
  "aws:ec2/eip:Eip": () => ({ publicIp: "198.51.100.7" }),
  "aws:ec2/launchTemplate:LaunchTemplate": () => ({ latestVersion: 1, defaultVersion: 1 }),
  "aws:kms/key:Key": (name) => ({ keyId: name }),
  "aws:s3/bucket:Bucket": (name) => ({ bucket: name }),
  "aws:sqs/queue:Queue": (name, { region, accountId }) => ({
    url: `https://sqs.${region}.amazonaws.com/${accountId}/${name}`,
  }),
};

/** Outputs of a resource besides its inputs. Undefined: it is no resource of Amazon's. */
export function awsState(
  type: string,
  name: string,
  inputs: Readonly<Record<string, unknown>>,
  place: ArnPlace,
): Record<string, unknown> | undefined {
  if (!type.startsWith("aws:")) {
    return undefined;
  }
  // Without one that is said, a name is made up from the logical one.
  const physical = typeof inputs.name === "string" ? inputs.name : `offline-${name}`;
  const arn = ARNS[type]?.(physical, place);
  return {
    ...KNOWN_LATER[type]?.(physical, place),
    name: physical,
    ...inputs,
    ...(arn !== undefined && { arn: `arn:${place.partition}:${arn}` }),
    ...(type === "aws:eks/cluster:Cluster" && clusterState(inputs, place)),
  };
}

/** The network of a cluster is an argument and an output in one. */
function clusterState({ vpcConfig }: Readonly<Record<string, unknown>>, { region }: ArnPlace): Record<string, unknown> {
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
