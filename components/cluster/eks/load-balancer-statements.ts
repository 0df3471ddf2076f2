import type { ArnPlace } from "./arn";
import type { IamConditions, IamStatement } from "./iam-document";

/** What the controller's rights are bound to. */
export interface LoadBalancerBounds {
  readonly place: ArnPlace;
  readonly clusterName: string;
  readonly vpcId: string;
}

/** Tag by which the controller knows what it has made, whose value is the cluster's name. */
const OWN = "elbv2.k8s.aws/cluster";

/**
 * What the AWS Load Balancer Controller may do: network load balancers of one cluster in its own network. After the
 * project's policy (kubernetes-sigs/aws-load-balancer-controller v3.5.0 docs/install/iam_policy.json, read 2026-11-23)
 * and narrower:
 * - no application load balancers, and with them no rules, web ACLs, Shield, Cognito or certificates: TLS ends at the
 *   gateway. The chart's `enableShield`, `enableWaf` and `enableWafv2` are off, or it would ask for what it may not know;
 * - tags must hold this cluster's name; the project's are content with any;
 * - rules of security groups in this network alone, not in the whole account. They need be no group of its own: it lets
 *   load balancers in to the nodes.
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
      // The tag of ownership itself is none of those that may change.
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
      // A listener has its load balancer's tags only where the controller gives it them.
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
      // Elastic Load Balancing makes its role with the first load balancer of an account, as whoever asks for it.
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

/** What version 3.5.0 asks of both services for network load balancers; they describe all of a region, or nothing. */
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
