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
 * The control plane of an enhanced cluster, which workload identity, add-ons and node cycling need.
 *
 * What it is made with for good: compartment, VCN, CNI, key of its secrets, addresses of Services, subnet of load
 * balancers. Another value there replaces the cluster, with all that runs on it; in production it is protected, so that
 * such a change is refused instead (ForceNew in terraform-provider-oci 8de3c48, 2026-08-19). Nothing is ignored: what a
 * tenancy adds by itself, its default tags, is no input of ours and therefore no difference.
 *
 * OpenID Connect discovery stays off: it publishes an issuer for other clouds' token services, which OCI's own workload
 * identity does not use.
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
        // Services find the subnet of their load balancers here: no manifest names it.
        serviceLbSubnetIds: [network.subnetIds.loadBalancers],
        // Made by controllers, in no state of Pulumi's: the tag is how people find what they left.
        serviceLbConfig: { freeformTags },
        persistentVolumeConfig: { freeformTags },
      },
      freeformTags,
    },
    {
      ...opts,
      protect: settings.protect,
      // Oracle's own limit for each is an hour; an upgrade of the control plane took longer (terraform-oci-oke, 120 minutes).
      customTimeouts: { create: "1h", update: "2h", delete: "1h" },
    },
  );
}
