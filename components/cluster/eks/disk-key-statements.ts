import type { IamStatement } from "./iam-document";

/**
 * Permissions on the disk key: EC2 uses it for the caller, by a grant for AWS services while the
 * disk is attached (kubernetes-sigs/aws-ebs-csi-driver docs/install.md at 429e202; EBS User Guide,
 * "Requirements for Amazon EBS encryption", read 2026-11-23). A key in another account must also
 * allow it by policy.
 */
export function diskKeyStatements(keyArn: string): IamStatement[] {
  return [
    {
      Sid: "UseKeyOfDisks",
      Effect: "Allow",
      Action: ["kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKeyWithoutPlaintext"],
      Resource: [keyArn],
    },
    {
      Sid: "KeepKeyForAttachedDisks",
      Effect: "Allow",
      Action: ["kms:CreateGrant"],
      Resource: [keyArn],
      Condition: { Bool: { "kms:GrantIsForAWSResource": "true" } },
    },
  ];
}
