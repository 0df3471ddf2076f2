import { randomBytes } from "node:crypto";
import { awsState, OFFLINE_AWS } from "../../../../offline/aws-answers";
import type { CloudResource, Properties } from "./cloud/store";

const { accountId, partition, region } = OFFLINE_AWS;

/** Of every id that this cloud gives. */
const OWN = "e2e";

/** EC2's prefixes of ids. */
const PREFIXES: Readonly<Record<string, string>> = {
  "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": "sg",
  "aws:ec2/eip:Eip": "eipalloc",
  "aws:ec2/internetGateway:InternetGateway": "igw",
  "aws:ec2/launchTemplate:LaunchTemplate": "lt",
  "aws:ec2/natGateway:NatGateway": "nat",
  "aws:ec2/route:Route": "r",
  "aws:ec2/routeTable:RouteTable": "rtb",
  "aws:ec2/routeTableAssociation:RouteTableAssociation": "rtbassoc",
  "aws:ec2/securityGroup:SecurityGroup": "sg",
  "aws:ec2/subnet:Subnet": "subnet",
  "aws:ec2/vpc:Vpc": "vpc",
  "aws:ec2/vpcEndpoint:VpcEndpoint": "vpce",
  "aws:eks/podIdentityAssociation:PodIdentityAssociation": "a",
  "aws:kms/key:Key": "key",
  "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": "sgr",
  "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": "sgr",
};

/** Ids of what belongs to something with a name: Terraform's, as the provider's sources make them (scripts/aws-replacements.ts). */
const OF_OTHERS: Readonly<Record<string, (inputs: Properties) => string>> = {
  "aws:cloudwatch/eventTarget:EventTarget": ({ rule, targetId }) => `${rule}-${targetId ?? own("target")}`,
  "aws:ec2/tag:Tag": ({ resourceId, key }) => `${resourceId},${key}`,
  "aws:eks/accessEntry:AccessEntry": ({ clusterName, principalArn }) => `${clusterName}:${principalArn}`,
  "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": ({ clusterName, principalArn, policyArn }) =>
    `${clusterName}#${principalArn}#${policyArn}`,
  "aws:eks/addon:Addon": ({ clusterName, addonName }) => `${clusterName}:${addonName}`,
  "aws:eks/nodeGroup:NodeGroup": ({ clusterName, nodeGroupName, nodeGroupNamePrefix }) =>
    `${clusterName}:${nodeGroupName ?? `${nodeGroupNamePrefix ?? "group-"}${hex()}`}`,
  "aws:iam/policy:Policy": (inputs) => `arn:${partition}:iam::${accountId}:policy/${nameOf(inputs)}`,
  "aws:iam/rolePolicy:RolePolicy": (inputs) => `${inputs.role}:${nameOf(inputs)}`,
  "aws:iam/rolePolicyAttachment:RolePolicyAttachment": ({ role, policyArn }) => `${role}/${policyArn}`,
  "aws:s3/bucket:Bucket": ({ bucket, bucketPrefix }) => String(bucket ?? `${bucketPrefix ?? "bucket-"}${hex()}`),
  "aws:sqs/queue:Queue": (inputs) => `https://sqs.${region}.amazonaws.com/${accountId}/${nameOf(inputs)}`,
  "aws:sqs/queuePolicy:QueuePolicy": ({ queueUrl }) => String(queueUrl),
};

/** The id that a new resource gets. */
export function newId(type: string, inputs: Properties): string {
  const prefix = PREFIXES[type];
  if (prefix !== undefined) {
    return own(prefix);
  }
  const parts = type.startsWith("aws:s3/bucket") && type !== "aws:s3/bucket:Bucket" ? inputs.bucket : undefined;
  return OF_OTHERS[type]?.(inputs) ?? String(parts ?? nameOf(inputs));
}

/** Whether a text is an id, or an ARN of one, that this cloud gave. */
export function isOwnId(text: string): boolean {
  return new RegExp(`^[\\w:/.-]*-${OWN}[0-9a-f]{14}$`).test(text);
}

/** What AWS knows of a resource once it is made, as offline runs have it; for ids this cloud's own. */
export function outputsOf(type: string, inputs: Properties, id: string): Properties {
  const known = awsState(type, id, { ...inputs, name: inputs.name ?? last(id) }, OFFLINE_AWS) ?? {};
  const besides = Object.fromEntries(Object.entries(known).filter(([key]) => inputs[key] === undefined));
  return { ...besides, ...OUTPUTS[type]?.(inputs, id) };
}

const OUTPUTS: Readonly<Record<string, (inputs: Properties, id: string) => Properties>> = {
  "aws:ec2/eip:Eip": (_, id) => ({ allocationId: id }),
  "aws:ec2/vpc:Vpc": (_inputs, id) => ({ defaultSecurityGroupId: `sg-default-${suffix(id)}` }),
  "aws:eks/nodeGroup:NodeGroup": (_inputs, id) => ({ nodeGroupName: last(id) }),
  "aws:iam/policy:Policy": (_inputs, id) => ({ arn: id }),
  "aws:kms/key:Key": (_inputs, id) => ({ keyId: id, arn: `arn:${partition}:kms:${region}:${accountId}:key/${id}` }),
  "aws:s3/bucket:Bucket": (_inputs, id) => ({ bucket: id, arn: `arn:${partition}:s3:::${id}` }),
  "aws:sqs/queue:Queue": (_inputs, id) => ({ url: id }),
};

/** What else others name a resource by. */
export function alsoKnownAs({ outputs }: CloudResource): string[] {
  const { clusterSecurityGroupId } = (outputs.vpcConfig ?? {}) as { readonly clusterSecurityGroupId?: string };
  return [outputs.arn, outputs.defaultSecurityGroupId, clusterSecurityGroupId].flatMap((text) =>
    typeof text === "string" ? [text] : [],
  );
}

/** Id of the group that EKS makes with a cluster. */
export function clusterGroup(name: string): string {
  const digits = Buffer.from(name).toString("hex").padEnd(14, "0").slice(0, 14);
  return `sg-cluster-${OWN}${digits}`;
}

function nameOf({ name, namePrefix }: Properties): string {
  return String(name ?? `${namePrefix ?? "name-"}${hex()}`);
}

function own(prefix: string): string {
  return `${prefix}-${OWN}${randomBytes(7).toString("hex")}`;
}

function suffix(id: string): string {
  return id.slice(id.lastIndexOf("-") + 1);
}

function hex(): string {
  return randomBytes(6).toString("hex");
}

/** Of an id that is a path or an ARN, its last part. */
function last(id: string): string {
  return id.slice(Math.max(id.lastIndexOf(":"), id.lastIndexOf("/")) + 1);
}
