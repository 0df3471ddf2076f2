import type { Cluster } from "../../core/cluster";

/** Who brings what to a machine that k3s was installed on: known before there is a cluster. */
export const ON_K3S = {
  /** k3s brings a controller of its own for them. */
  networkPolicies: "present",
  gpuSoftware: "platform",
} as const satisfies Partial<Cluster>;
