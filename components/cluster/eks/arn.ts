import { type ManagedPolicyName, managedPolicyPath } from "../../../catalog/aws-managed-policies";

export interface ArnPlace {
  readonly partition: string;
  readonly region: string;
  readonly accountId: string;
}

/**
 * Partition, region and account of a cluster ARN:
 * `arn:aws:eks:us-east-1:111122223333:cluster/prod`.
 *
 * @throws Error for any other ARN.
 */
export function placeOf(arn: string): ArnPlace {
  const [scheme, partition, , region, accountId] = arn.split(":");
  if (scheme !== "arn" || !partition || !region || !accountId) {
    throw new Error(`"${arn}" is not the ARN of a thing in a region and an account`);
  }
  return { partition, region, accountId };
}

/** The partition of a region (docs.aws.amazon.com, "Amazon Resource Names": aws, aws-cn, aws-us-gov). */
export function partitionOf(region: string): string {
  return PARTITIONS.find(({ prefix }) => region.startsWith(prefix))?.partition ?? "aws";
}

const PARTITIONS = [
  { prefix: "cn-", partition: "aws-cn" },
  { prefix: "us-gov-", partition: "aws-us-gov" },
] as const;

/** ARN of an AWS managed policy in the region's partition. */
export function managedPolicyArn(region: string, name: ManagedPolicyName): string {
  return `arn:${partitionOf(region)}:iam::aws:policy/${managedPolicyPath(name)}`;
}
