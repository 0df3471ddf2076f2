import type { ArnPlace } from "./arn";
import type { IamConditions, IamStatement } from "./iam-document";

export interface LoadBalancerBounds {
  readonly place: ArnPlace;
  readonly clusterName: string;
  readonly vpcId: string;
}

/** Ownership tag of the controller; its value is the cluster name. */
const OWN = "elbv2.k8s.aws/cluster";

/**
 * Permissions of the AWS Load Balancer Controller: network load balancers of one cluster in its
 * network. Based on the project's policy (kubernetes-sigs/aws-load-balancer-controller v3.5.0
 * docs/install/iam_policy.json, read 2026-11-23), but narrower:
 * - no application load balancers, rules, web ACLs, Shield, Cognito or certificates. The chart's
 *   `enableShield`, `enableWaf` and `enableWafv2` must be off;
 * - tags must contain this cluster's name;
 * - security group rules in this network only, in any group.
 */
export function loadBalancerStatements(bounds: LoadBalancerBounds): IamStatement[] {
  const { place, clusterName } = bounds;
  const { partition, region, accountId } = place;
  const balancing = (thing: string) => `arn:${partition}:elasticloadbalancing:${region}:${accountId}:${thing}`;
  const balancers = balancing("loadbalancer/net/*/*");
  const groups = balancing("targetgroup/*/*");
  const listeners = balancing("listener/net/*/*/*");
  const own: IamConditions = { StringEquals: { [`aws:ResourceTag/${OWN}`]: clusterName } };
  const asOwn: IamConditions = { StringEquals: { [`aws:RequestTag/${OWN}`]: clusterName } };
  return [
    ...lookingStatements(region),
    ...securityGroupStatements(bounds),
    {
      Sid: "MakeOwn",
      Effect: "Allow",
      Action: ["elasticloadbalancing:CreateLoadBalancer", "elasticloadbalancing:CreateTargetGroup"],
      Resource: [balancers, groups],
      Condition: asOwn,
    },
    {
      Sid: "TagWhatItMakes",
      Effect: "Allow",
      Action: ["elasticloadbalancing:AddTags"],
      Resource: [balancers, groups],
      Condition: {
        StringEquals: {
          ...asOwn.StringEquals,
          "elasticloadbalancing:CreateAction": ["CreateLoadBalancer", "CreateTargetGroup"],
        },
      },
    },
    {
      // The ownership tag itself may not change.
      Sid: "RetagOwn",
      Effect: "Allow",
      Action: ["elasticloadbalancing:AddTags", "elasticloadbalancing:RemoveTags"],
      Resource: [balancers, groups],
      Condition: { ...own, Null: { [`aws:RequestTag/${OWN}`]: "true" } },
    },
    {
      Sid: "ListenOnOwn",
      Effect: "Allow",
      Action: ["elasticloadbalancing:CreateListener"],
      Resource: [balancers],
      Condition: own,
    },
    {
      // No tag condition: listeners have tags only if the controller sets them.
      Sid: "ChangeListeners",
      Effect: "Allow",
      Action: [
        "elasticloadbalancing:AddTags",
        "elasticloadbalancing:DeleteListener",
        "elasticloadbalancing:ModifyListener",
        "elasticloadbalancing:ModifyListenerAttributes",
        "elasticloadbalancing:RemoveTags",
      ],
      Resource: [listeners],
    },
    {
      Sid: "ChangeOwn",
      Effect: "Allow",
      Action: [
        "elasticloadbalancing:DeleteLoadBalancer",
        "elasticloadbalancing:ModifyCapacityReservation",
        "elasticloadbalancing:ModifyLoadBalancerAttributes",
        "elasticloadbalancing:SetIpAddressType",
        "elasticloadbalancing:SetSecurityGroups",
        "elasticloadbalancing:SetSubnets",
      ],
      Resource: [balancers],
      Condition: own,
    },
    {
      Sid: "ChangeOwnTargets",
      Effect: "Allow",
      Action: [
        "elasticloadbalancing:DeleteTargetGroup",
        "elasticloadbalancing:DeregisterTargets",
        "elasticloadbalancing:ModifyTargetGroup",
        "elasticloadbalancing:ModifyTargetGroupAttributes",
        "elasticloadbalancing:RegisterTargets",
      ],
      Resource: [groups],
      Condition: own,
    },
    {
      // Elastic Load Balancing creates its service-linked role with the account's first load
      // balancer, as the caller.
      Sid: "FirstLoadBalancerOfAccount",
      Effect: "Allow",
      Action: ["iam:CreateServiceLinkedRole"],
      Resource: [
        `arn:${partition}:iam::${accountId}:role/aws-service-role/elasticloadbalancing.amazonaws.com/AWSServiceRoleForElasticLoadBalancing`,
      ],
      Condition: { StringEquals: { "iam:AWSServiceName": "elasticloadbalancing.amazonaws.com" } },
    },
  ];
}

/** Calls of version 3.5.0 for network load balancers. Describe calls cover a whole region. */
function lookingStatements(region: string): IamStatement[] {
  return [
    {
      Sid: "LookAroundInRegion",
      Effect: "Allow",
      Action: [
        "ec2:DescribeAvailabilityZones",
        "ec2:DescribeInstances",
        "ec2:DescribeNetworkInterfaces",
        "ec2:DescribeRouteTables",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcs",
        "elasticloadbalancing:DescribeCapacityReservation",
        "elasticloadbalancing:DescribeListenerAttributes",
        "elasticloadbalancing:DescribeListenerCertificates",
        "elasticloadbalancing:DescribeListeners",
        "elasticloadbalancing:DescribeLoadBalancerAttributes",
        "elasticloadbalancing:DescribeLoadBalancers",
        "elasticloadbalancing:DescribeRules",
        "elasticloadbalancing:DescribeTags",
        "elasticloadbalancing:DescribeTargetGroupAttributes",
        "elasticloadbalancing:DescribeTargetGroups",
        "elasticloadbalancing:DescribeTargetHealth",
      ],
      Resource: ["*"],
      Condition: { StringEquals: { "aws:RequestedRegion": region } },
    },
  ];
}

function securityGroupStatements({ place, clusterName, vpcId }: LoadBalancerBounds): IamStatement[] {
  const { partition, region, accountId } = place;
  const groups = `arn:${partition}:ec2:${region}:${accountId}:security-group/*`;
  const vpc = `arn:${partition}:ec2:${region}:${accountId}:vpc/${vpcId}`;
  const own = { [`aws:ResourceTag/${OWN}`]: clusterName };
  const asOwn = { [`aws:RequestTag/${OWN}`]: clusterName };
  return [
    {
      Sid: "MakeGroups",
      Effect: "Allow",
      Action: ["ec2:CreateSecurityGroup"],
      Resource: [groups],
      Condition: { StringEquals: asOwn },
    },
    { Sid: "MakeGroupsInNetwork", Effect: "Allow", Action: ["ec2:CreateSecurityGroup"], Resource: [vpc] },
    {
      Sid: "TagGroupsThatItMakes",
      Effect: "Allow",
      Action: ["ec2:CreateTags"],
      Resource: [groups],
      Condition: { StringEquals: { ...asOwn, "ec2:CreateAction": "CreateSecurityGroup" } },
    },
    {
      Sid: "RetagOwnGroups",
      Effect: "Allow",
      Action: ["ec2:CreateTags", "ec2:DeleteTags"],
      Resource: [groups],
      Condition: { StringEquals: own, Null: { [`aws:RequestTag/${OWN}`]: "true" } },
    },
    {
      Sid: "OpenGroupsOfNetwork",
      Effect: "Allow",
      Action: ["ec2:AuthorizeSecurityGroupIngress", "ec2:RevokeSecurityGroupIngress"],
      Resource: [groups],
      Condition: { ArnEquals: { "ec2:Vpc": vpc } },
    },
    {
      Sid: "DeleteOwnGroups",
      Effect: "Allow",
      Action: ["ec2:DeleteSecurityGroup"],
      Resource: [groups],
      Condition: { StringEquals: own },
    },
  ];
}
