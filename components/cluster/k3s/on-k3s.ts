import type { Cluster } from "../../core/cluster";

/** Components that k3s or the platform provides, known before the cluster exists. */
export const ON_K3S = {
  /** k3s has a built-in controller. */
  networkPolicies: "present",
  gpuSoftware: "platform",
} as const satisfies Partial<Cluster>;
