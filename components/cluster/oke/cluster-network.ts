import { ClusterNetwork } from "@pulumi/oci/core/clusterNetwork";
import type * as pulumi from "@pulumi/pulumi";
import type { OkePool, OkeSettings } from "./settings";
import { machineTags, SHAPE_TAG } from "./tags";

export interface MachineGroupArgs {
  readonly settings: Pick<OkeSettings, "environment" | "compartmentId">;
  readonly instanceConfigurationId: pulumi.Output<string>;
  readonly subnetId: pulumi.Output<string>;
  /** Names of the availability domains of its machines. */
  readonly availabilityDomains: readonly pulumi.Input<string>[];
}

/**
 * Bare metal boots for half an hour, and Oracle creates a cluster network's machines together
 * (terraform-oci-oke: 2 h).
 */
const TIMEOUTS: pulumi.CustomTimeouts = { create: "2h", update: "2h", delete: "2h" };

/**
 * Machines with an RDMA network, created all or none. They join the cluster minutes after
 * `RUNNING`.
 *
 * Size and configuration change in place; another availability domain or subnet replaces the
 * cluster network (terraform-provider-oci 8de3c48, core_cluster_network_resource.go). So does
 * another shape, which the provider cannot detect.
 */
export function clusterNetwork(
  name: string,
  { plan }: OkePool,
  { settings, instanceConfigurationId, subnetId, availabilityDomains }: MachineGroupArgs,
  opts: pulumi.CustomResourceOptions,
): ClusterNetwork {
  const [availabilityDomain] = availabilityDomains;
  if (availabilityDomain === undefined || availabilityDomains.length > 1) {
    throw new Error(`pools.${plan.name} is in no availability domain or in several: validation should have refused it`);
  }
  return new ClusterNetwork(
    name,
    {
      compartmentId: settings.compartmentId,
      displayName: plan.name,
      instancePools: [{ instanceConfigurationId, displayName: plan.name, size: plan.minNodes }],
      // The newer `primaryVnicSubnets` is for IPv6; Oracle's own stacks use this one.
      placementConfiguration: { availabilityDomain, primarySubnetId: subnetId },
      freeformTags: machineTags(settings, plan.shape),
    },
    { ...opts, ...REPLACED_BY_SHAPE, customTimeouts: TIMEOUTS },
  );
}

/** A new shape needs new machines: pods would request what the old nodes lack. */
export const REPLACED_BY_SHAPE: pulumi.CustomResourceOptions = { replaceOnChanges: [`freeformTags["${SHAPE_TAG}"]`] };
