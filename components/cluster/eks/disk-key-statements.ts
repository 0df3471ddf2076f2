import type { IamStatement } from "./iam-document";

/**
 * Rights on the key of disks and volumes for who makes them: EC2 uses the key on their behalf, and keeps it for as long as
 * the disk is attached, by a grant that they may make for Amazon's services alone (kubernetes-sigs/aws-ebs-csi-driver
 * docs/install.md at 429e202; EBS User Guide, "Requirements for Amazon EBS encryption", read 2026-11-23). A key of another
 * account must let them in by its own policy besides.
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
