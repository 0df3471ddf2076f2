import type * as kubernetes from "@pulumi/kubernetes";
import type { ClusterNetworks } from "./network";

/** Annotations of a Service by which a cloud makes its load balancer. */
export type LoadBalancerSettings = Readonly<Record<string, string>>;

/**
 * How a cluster's load balancers keep long silences and the client's address. Given the environment's own settings, so that
 * ours never change what those mean; the result holds both.
 */
export type LoadBalancer = (needs: {
  /** Longest silence on a connection that is in use, seconds. */
  readonly idleSeconds: number;
  /** What the environment says itself: it wins, and may ask for another kind of load balancer. */
  readonly chosen: LoadBalancerSettings;
}) => LoadBalancerSettings;

/** What the platform needs to know of a Kubernetes cluster, whoever made it. */
export interface Cluster extends ClusterNetworks {
  readonly provider: kubernetes.Provider;
  /** Storage class for volumes; the cluster's default when undefined. Must encrypt at rest in production. */
  readonly storageClass: string | undefined;
  /** Whether volumes of that class can be made larger later (`allowVolumeExpansion`); `local-path` of k3s cannot. */
  readonly volumesGrow: boolean;
  /** Settings of the load balancers that it makes for Services. */
  readonly loadBalancer: LoadBalancer;
  /** Who installs the GPU driver stack and DCGM/AMD exporters: the cluster already has them, or the platform does. */
  readonly gpuExporters: "platform" | "present";
}
