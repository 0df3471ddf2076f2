import type { EnvironmentName } from "./run";

/**
 * Environments that are brought up on real parts with every change: between them they have what the others have, and
 * every-change.test.ts fails where they no longer do.
 */
export const EVERY_CHANGE = ["dev", "oci-h100", "aws-prod"] as const satisfies readonly EnvironmentName[];

/** The others, brought up every night. */
export const NIGHTLY = ["oci-a10", "edge-nvidia", "edge-radeon"] as const satisfies readonly EnvironmentName[];
