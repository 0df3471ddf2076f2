import type * as kubernetes from "@pulumi/kubernetes";
import type { ClusterNetworks } from "./network";

/** What the platform needs to know of a Kubernetes cluster, whoever made it. */
export interface Cluster extends ClusterNetworks {
  readonly provider: kubernetes.Provider;
  /** Storage class for volumes; the cluster's default when undefined. Must encrypt at rest in production. */
  readonly storageClass: string | undefined;
  /** Whether volumes of that class can be made larger later (`allowVolumeExpansion`); `local-path` of k3s cannot. */
  readonly volumesGrow: boolean;
  /** RuntimeClass that GPU pods need (k3s: `nvidia`); none on managed clusters. */
  readonly gpuRuntimeClass: string | undefined;
  /** Who installs the GPU driver stack and DCGM/AMD exporters: the cluster already has them, or the platform does. */
  readonly gpuExporters: "platform" | "present";
}
