/** Minimum version of the Pulumi CLI, as `requiredPulumiVersion` in Pulumi.yaml. */
export const OLDEST_PULUMI = "3.259.0";
