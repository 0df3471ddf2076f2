/** The oldest release of Pulumi's command line that runs the program; `requiredPulumiVersion` in Pulumi.yaml says the same. */
export const OLDEST_PULUMI = "3.259.0";
