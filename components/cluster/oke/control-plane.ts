import { Cluster } from "@pulumi/oci/containerengine/cluster";
import type * as pulumi from "@pulumi/pulumi";
import type { OkeKeys } from "./keys";
import type { OkeNetwork } from "./network";
import type { OkeSettings } from "./settings";
import { environmentTags } from "./tags";

export interface OkeControlPlaneArgs {
  readonly settings: OkeSettings;
  readonly network: Pick<OkeNetwork, "vcnId" | "subnetIds" | "nsgIds">;
  readonly keys: Pick<OkeKeys, "secretsKeyId">;
}

/**
 * Control plane of an enhanced cluster, required by workload identity, add-ons and node cycling.
 *
 * Immutable: compartment, VCN, CNI, secrets key, Service addresses, load balancer subnet. A change
 * replaces the cluster; in production protection refuses it (ForceNew in terraform-provider-oci
 * 8de3c48, 2026-08-19). A tenancy's default tags are no inputs, so they cause no diff.
 *
 * OpenID Connect discovery stays off: OCI workload identity does not use it.
 */
export function okeControlPlane(
  name: string,
  { settings, network, keys }: OkeControlPlaneArgs,
  opts: pulumi.CustomResourceOptions,
): Cluster {
  const freeformTags = environmentTags(settings);
  return new Cluster(
    name,
    {
      compartmentId: settings.compartmentId,
      vcnId: network.vcnId,
      kubernetesVersion: settings.kubernetesVersion,
      name: settings.environment,
      type: "ENHANCED_CLUSTER",
      kmsKeyId: keys.secretsKeyId,
      endpointConfig: {
        subnetId: network.subnetIds.endpoint,
        isPublicIpEnabled: settings.endpoint.public,
        nsgIds: [network.nsgIds.endpoint],
      },
      clusterPodNetworkOptions: [{ cniType: "OCI_VCN_IP_NATIVE" }],
      options: {
        kubernetesNetworkConfig: { servicesCidr: settings.network.services },
        // Services find their load balancer subnet here, not in manifests.
        serviceLbSubnetIds: [network.subnetIds.loadBalancers],
        // Created by controllers, outside Pulumi's state: the tag identifies leftovers.
        serviceLbConfig: { freeformTags },
        persistentVolumeConfig: { freeformTags },
      },
      freeformTags,
    },
    {
      ...opts,
      protect: settings.protect,
      // Oracle's default is an hour each; a control plane upgrade took longer (terraform-oci-oke,
      // 120 minutes).
      customTimeouts: { create: "1h", update: "2h", delete: "1h" },
    },
  );
}
