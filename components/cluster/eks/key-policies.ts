import { type IamStatement, iamDocument } from "./iam-document";

export interface KeyAccount {
  readonly accountId: string;
  readonly partition: string;
}

/**
 * Delegates key access to the account's IAM, as the KMS default policy does. Otherwise one call can
 * leave a key without administrator (KMS Developer Guide, "Default key policy", read 2026-11-23).
 * In a key policy, `kms:*` and `*` refer to this key only.
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
 * Service-linked roles of Auto Scaling (managed node groups) and spot, which lack permissions on
 * customer keys (EC2 Auto Scaling User Guide, "Required AWS KMS key policy for use with encrypted
 * volumes", read 2026-11-23). Karpenter and the volume driver get access through IAM.
 */
const LAUNCHERS = [
  "autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling",
  "spot.amazonaws.com/AWSServiceRoleForEC2Spot",
];

/**
 * By condition, not as principals: new accounts get these roles with the first group, after the
 * key, and KMS refuses missing principals (`MalformedPolicyDocumentException`:
 * terraform-aws-modules/terraform-aws-eks#3013). The stack cannot create roles that may exist and
 * that others use. `aws:PrincipalArn` is the role's ARN with path (IAM User Guide, "AWS global
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

/** Policy of the secrets key. EKS uses it by a grant of the cluster's creator. */
export function secretsKeyPolicy(account: KeyAccount): string {
  return iamDocument([byIam(account)]);
}

/** Policy of the key for disks, volumes and models. */
export function volumesKeyPolicy(account: KeyAccount): string {
  return iamDocument([byIam(account), ...byLaunchers(account)]);
}
