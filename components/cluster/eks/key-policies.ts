import { type IamStatement, iamDocument } from "./iam-document";

/** The account of a key. */
export interface KeyAccount {
  readonly accountId: string;
  readonly partition: string;
}

/**
 * The account decides by IAM who may use and administrate a key, as in the policy that KMS itself gives to keys: without
 * it, a key that nobody can administrate any more is one call away (KMS Developer Guide, "Default key policy", read
 * 2026-11-23). `kms:*` and `*` are of this key alone: a key's policy speaks of no other thing.
 */
function byIam({ accountId, partition }: KeyAccount): IamStatement {
  return {
    Sid: "AccountDecidesByIam",
    Effect: "Allow",
    Principal: { AWS: [`arn:${partition}:iam::${accountId}:root`] },
    Action: ["kms:*"],
    Resource: ["*"],
  };
}

/**
 * Roles by which Amazon starts machines on our behalf: those of managed node groups, which are Auto Scaling groups, and of
 * spot capacity. Their rights are Amazon's and hold no keys of ours; a key's policy alone can let them in (EC2 Auto Scaling
 * User Guide, "Required AWS KMS key policy for use with encrypted volumes", read 2026-11-23). The roles of Karpenter and of
 * the volumes' driver are ours: they have their rights by IAM.
 */
const LAUNCHERS = [
  "autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling",
  "spot.amazonaws.com/AWSServiceRoleForEC2Spot",
];

/**
 * Named by a condition, and not as principals: in an account that never had such a group, Amazon makes these roles with the
 * first one, which comes after the key, and KMS refuses a policy that names a principal that does not exist
 * (`MalformedPolicyDocumentException`: terraform-aws-modules/terraform-aws-eks#3013). Making them here is no way either:
 * where one exists, making it fails, and it would go with this stack while others need it. The conditions let in exactly
 * those roles of exactly this account: `aws:PrincipalArn` is the ARN of the role, with its path (IAM User Guide, "AWS global
 * condition context keys", read 2026-11-23).
 */
function byLaunchers({ accountId, partition }: KeyAccount): IamStatement[] {
  const callers = {
    StringEquals: { "kms:CallerAccount": accountId },
    ArnEquals: {
      "aws:PrincipalArn": LAUNCHERS.map((role) => `arn:${partition}:iam::${accountId}:role/aws-service-role/${role}`),
    },
  };
  const allow = { Effect: "Allow", Principal: { AWS: ["*"] }, Resource: ["*"] } as const;
  return [
    {
      Sid: "AmazonStartsMachines",
      ...allow,
      Action: [
        "kms:Decrypt",
        "kms:DescribeKey",
        "kms:Encrypt",
        "kms:GenerateDataKey",
        "kms:GenerateDataKeyWithoutPlaintext",
        "kms:ReEncryptFrom",
        "kms:ReEncryptTo",
      ],
      Condition: callers,
    },
    {
      Sid: "AmazonAttachesDisks",
      ...allow,
      Action: ["kms:CreateGrant"],
      Condition: { ...callers, Bool: { "kms:GrantIsForAWSResource": "true" } },
    },
  ];
}

/** Policy of the key of a cluster's secrets. EKS uses it by a grant that it makes as whoever makes the cluster. */
export function secretsKeyPolicy(account: KeyAccount): string {
  return iamDocument([byIam(account)]);
}

/** Policy of the key of disks, volumes and models. */
export function volumesKeyPolicy(account: KeyAccount): string {
  return iamDocument([byIam(account), ...byLaunchers(account)]);
}
