import { type ArnPlace, partitionOf } from "./arn";
import { diskKeyStatements } from "./disk-key-statements";
import type { IamConditions, IamStatement } from "./iam-document";

export const KARPENTER_POLICIES = ["nodes", "profiles", "discovery", "cluster", "disks"] as const;
export type KarpenterPolicy = (typeof KARPENTER_POLICIES)[number];

export interface KarpenterBounds {
  readonly place: ArnPlace;
  readonly clusterName: string;
  readonly clusterArn: string;
  readonly nodeRoleArn: string;
  readonly queueArn: string;
  readonly volumesKeyArn: string;
  readonly spot: boolean;
}

/**
 * Karpenter's permissions by policy: it starts machines of this cluster in this account and region,
 * and ends only those with its tags. Based on aws/karpenter-provider-aws v1.14.1 (1d92708,
 * website/content/en/docs/getting-started/getting-started-with-karpenter/cloudformation.yaml, read
 * 2026-11-23), but narrower: this account only, a role for EC2 only, no zonal shift
 * (`enableZonalShift` of its chart is off).
 *
 * The reference lacks customer keys, which the caller uses through EC2. Without `disks`, nodes end
 * before they are ready (its troubleshooting page).
 */
export function karpenterStatements(
  bounds: KarpenterBounds,
): Readonly<Record<KarpenterPolicy, readonly IamStatement[]>> {
  return {
    nodes: nodeStatements(bounds),
    profiles: profileStatements(bounds),
    discovery: discoveryStatements(bounds),
    cluster: clusterStatements(bounds),
    disks: diskKeyStatements(bounds.volumesKeyArn),
  };
}

/** EC2 resources of this account and region: `subnet`. */
function ec2({ place: { partition, region, accountId } }: KarpenterBounds, ...kinds: readonly string[]): string[] {
  return kinds.map((kind) => `arn:${partition}:ec2:${region}:${accountId}:${kind}/*`);
}

/** Condition on Karpenter's tags, in the request or on the resource. */
function tagged(of: "RequestTag" | "ResourceTag", clusterName: string): IamConditions {
  return {
    StringEquals: { [`aws:${of}/kubernetes.io/cluster/${clusterName}`]: "owned" },
    StringLike: { [`aws:${of}/karpenter.sh/nodepool`]: "*" },
  };
}

const MADE = ["fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request"] as const;

function nodeStatements(bounds: KarpenterBounds): IamStatement[] {
  const { clusterName, place } = bounds;
  const { partition, region } = place;
  const mine = tagged("ResourceTag", clusterName);
  const asked = tagged("RequestTag", clusterName);
  const ofCluster = { ...asked.StringEquals, "aws:RequestTag/eks:eks-cluster-name": clusterName };
  return [
    {
      Sid: "StartFrom",
      Effect: "Allow",
      Action: ["ec2:RunInstances", "ec2:CreateFleet"],
      Resource: [
        // Amazon owns images and their snapshots.
        `arn:${partition}:ec2:${region}::image/*`,
        `arn:${partition}:ec2:${region}::snapshot/*`,
        ...ec2(bounds, "security-group", "subnet", "capacity-reservation", "placement-group"),
      ],
    },
    {
      Sid: "StartFromOwnTemplates",
      Effect: "Allow",
      Action: ["ec2:RunInstances", "ec2:CreateFleet"],
      Resource: ec2(bounds, "launch-template"),
      Condition: mine,
    },
    {
      Sid: "StartTagged",
      Effect: "Allow",
      Action: ["ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateLaunchTemplate"],
      Resource: ec2(bounds, ...MADE),
      Condition: { ...asked, StringEquals: ofCluster },
    },
    {
      Sid: "TagWhatItStarts",
      Effect: "Allow",
      Action: ["ec2:CreateTags"],
      Resource: ec2(bounds, ...MADE),
      Condition: {
        ...asked,
        StringEquals: { ...ofCluster, "ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"] },
      },
    },
    {
      Sid: "NameItsMachines",
      Effect: "Allow",
      Action: ["ec2:CreateTags"],
      Resource: ec2(bounds, "instance"),
      Condition: {
        ...mine,
        StringEqualsIfExists: { "aws:RequestTag/eks:eks-cluster-name": clusterName },
        "ForAllValues:StringEquals": { "aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"] },
      },
    },
    {
      Sid: "EndWhatItStarted",
      Effect: "Allow",
      Action: ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
      Resource: ec2(bounds, "instance", "launch-template"),
      Condition: mine,
    },
    ...(bounds.spot ? [spotRoleStatement(bounds)] : []),
  ];
}

/**
 * EC2 creates its spot service-linked role at an account's first request, as the caller; otherwise
 * `ServiceLinkedRoleCreationNotPermitted`. A role in the stack would fail if it already exists.
 */
function spotRoleStatement({ place: { partition, accountId } }: KarpenterBounds): IamStatement {
  return {
    Sid: "FirstSpotRequestOfAccount",
    Effect: "Allow",
    Action: ["iam:CreateServiceLinkedRole"],
    Resource: [`arn:${partition}:iam::${accountId}:role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot`],
    Condition: { StringEquals: { "iam:AWSServiceName": "spot.amazonaws.com" } },
  };
}

function profileStatements({ place, clusterName, nodeRoleArn }: KarpenterBounds): IamStatement[] {
  const { partition, region, accountId } = place;
  const profiles = [`arn:${partition}:iam::${accountId}:instance-profile/*`];
  const of = (tag: "RequestTag" | "ResourceTag") => ({
    [`aws:${tag}/kubernetes.io/cluster/${clusterName}`]: "owned",
    [`aws:${tag}/topology.kubernetes.io/region`]: region,
  });
  const asked = { ...of("RequestTag"), "aws:RequestTag/eks:eks-cluster-name": clusterName };
  const ofClass = (tag: "RequestTag" | "ResourceTag") => ({ [`aws:${tag}/karpenter.k8s.aws/ec2nodeclass`]: "*" });
  return [
    {
      Sid: "GiveMachinesTheirRole",
      Effect: "Allow",
      Action: ["iam:PassRole"],
      Resource: [nodeRoleArn],
      Condition: { StringEquals: { "iam:PassedToService": ec2Service(region) } },
    },
    {
      Sid: "MakeProfiles",
      Effect: "Allow",
      Action: ["iam:CreateInstanceProfile"],
      Resource: profiles,
      Condition: { StringEquals: asked, StringLike: ofClass("RequestTag") },
    },
    {
      Sid: "TagOwnProfiles",
      Effect: "Allow",
      Action: ["iam:TagInstanceProfile"],
      Resource: profiles,
      Condition: {
        StringEquals: { ...of("ResourceTag"), ...asked },
        StringLike: { ...ofClass("ResourceTag"), ...ofClass("RequestTag") },
      },
    },
    {
      Sid: "UseOwnProfiles",
      Effect: "Allow",
      Action: ["iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"],
      Resource: profiles,
      Condition: { StringEquals: of("ResourceTag"), StringLike: ofClass("ResourceTag") },
    },
    { Sid: "ReadProfiles", Effect: "Allow", Action: ["iam:GetInstanceProfile"], Resource: profiles },
    // Cannot be narrowed: IAM lists all profiles or none.
    { Sid: "ListProfiles", Effect: "Allow", Action: ["iam:ListInstanceProfiles"], Resource: ["*"] },
  ];
}

/** EC2 service principal: differs in China. */
export function ec2Service(region: string): string {
  return partitionOf(region) === "aws-cn" ? "ec2.amazonaws.com.cn" : "ec2.amazonaws.com";
}

/** Available machines and prices. EC2 Describe calls cover a whole region. */
function discoveryStatements({ place: { partition, region } }: KarpenterBounds): IamStatement[] {
  return [
    {
      Sid: "LookAroundInRegion",
      Effect: "Allow",
      Action: [
        "ec2:DescribeCapacityReservations",
        "ec2:DescribeImages",
        "ec2:DescribeInstances",
        "ec2:DescribeInstanceStatus",
        "ec2:DescribeInstanceTypeOfferings",
        "ec2:DescribeInstanceTypes",
        "ec2:DescribeLaunchTemplates",
        "ec2:DescribePlacementGroups",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSpotPriceHistory",
        "ec2:DescribeSubnets",
      ],
      Resource: ["*"],
      Condition: { StringEquals: { "aws:RequestedRegion": region } },
    },
    {
      Sid: "FindImages",
      Effect: "Allow",
      Action: ["ssm:GetParameter"],
      Resource: [`arn:${partition}:ssm:${region}::parameter/aws/service/*`],
    },
    // The pricing API exists only in some regions.
    { Sid: "ReadPrices", Effect: "Allow", Action: ["pricing:GetProducts"], Resource: ["*"] },
  ];
}

function clusterStatements({ clusterArn, queueArn }: KarpenterBounds): IamStatement[] {
  return [
    { Sid: "FindCluster", Effect: "Allow", Action: ["eks:DescribeCluster"], Resource: [clusterArn] },
    {
      Sid: "HearOfInterruptions",
      Effect: "Allow",
      Action: ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"],
      Resource: [queueArn],
    },
  ];
}
