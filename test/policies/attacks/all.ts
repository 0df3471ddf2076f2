import type { Attack } from "./attack";
import { AWS } from "./aws";
import { GATEWAY } from "./gateway";
import { NETWORK_ATTACKS } from "./network";
import { OCI } from "./oci";
import { PODS } from "./pods";
import { RIGHTS } from "./rights";
import { SECRETS } from "./secrets";

/** Attacks of the review of 27 November 2026, and of the same kinds. */
export const ATTACKS: readonly Attack[] = [
  ...PODS,
  ...RIGHTS,
  ...GATEWAY,
  ...NETWORK_ATTACKS,
  ...SECRETS,
  ...AWS,
  ...OCI,
];
