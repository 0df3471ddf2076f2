import type { Attack } from "./attack";
import { AWS } from "./aws";
import { CHARTS } from "./charts";
import { GATEWAY } from "./gateway";
import { MESH_ATTACKS } from "./mesh";
import { NETWORK_ATTACKS } from "./network";
import { OCI } from "./oci";
import { PLANS } from "./plans";
import { PODS } from "./pods";
import { RIGHTS } from "./rights";
import { SECRETS } from "./secrets";

/** What reviews tried to deploy, and more of the same kinds. */
export const ATTACKS: readonly Attack[] = [
  ...PODS,
  ...RIGHTS,
  ...GATEWAY,
  ...NETWORK_ATTACKS,
  ...SECRETS,
  ...AWS,
  ...OCI,
  ...MESH_ATTACKS,
  ...CHARTS,
  ...PLANS,
];
