import { InstanceConfiguration } from "@pulumi/oci/core/instanceConfiguration";
import type { Core } from "@pulumi/oci/types/input";
import type * as pulumi from "@pulumi/pulumi";
import { confidentialShape } from "../../../catalog/confidential";
import { okeMaxPods } from "../../../catalog/oke-pods";
import type { JoinedCluster } from "./cloud-init/join";
import { userData } from "./cloud-init/user-data";
import type { OkeKeys } from "./keys";
import type { OkeNetwork } from "./network";
import type { OkePool, OkeSettings } from "./settings";
import { environmentTags } from "./tags";

export interface InstanceConfigurationArgs {
  readonly settings: OkeSettings;
  readonly cluster: pulumi.Output<JoinedCluster>;
  readonly network: Pick<OkeNetwork, "subnetIds" | "nsgIds">;
  readonly keys: Pick<OkeKeys, "volumesKeyId">;
}

type LaunchDetails = Core.InstanceConfigurationInstanceDetailsLaunchDetails;
type Agent = Core.InstanceConfigurationInstanceDetailsLaunchDetailsAgentConfig;

/**
 * Machine settings of a pool. A change creates a new configuration, to which the group switches
 * before the old one is deleted (all of `instance_details` is ForceNew, terraform-provider-oci
 * 8de3c48 core_instance_configuration_resource.go). Running machines keep their settings.
 */
export function instanceConfiguration(
  name: string,
  pool: OkePool,
  args: InstanceConfigurationArgs,
  opts: pulumi.CustomResourceOptions,
): InstanceConfiguration {
  const { compartmentId } = args.settings;
  const freeformTags = environmentTags(args.settings);
  return new InstanceConfiguration(
    name,
    {
      compartmentId,
      displayName: pool.plan.name,
      instanceDetails: { instanceType: "compute", launchDetails: launchDetails(pool, args) },
      freeformTags,
    },
    opts,
  );
}

/** The group that uses the configuration sets the placement. */
function launchDetails(pool: OkePool, { settings, cluster, network, keys }: InstanceConfigurationArgs): LaunchDetails {
  const { plan, capacity, image, bootVolumeGiB } = pool;
  const { shape } = plan;
  if (image === undefined) {
    throw new Error(`pools.${plan.name} has no image: validation should have refused it`);
  }
  return {
    compartmentId: settings.compartmentId,
    shape: shape.name,
    ...(shape.name.endsWith(".Flex") && {
      shapeConfig: { ocpus: shape.cpu.ocpus, memoryInGbs: shape.memoryGiB },
    }),
    sourceDetails: {
      sourceType: "image",
      imageId: image,
      bootVolumeSizeInGbs: String(bootVolumeGiB),
      kmsKeyId: keys.volumesKeyId,
    },
    createVnicDetails: {
      subnetId: network.subnetIds.nodes,
      nsgIds: [network.nsgIds.nodes],
      assignPublicIp: false,
    },
    metadata: metadataOf(pool, { settings, cluster, network }),
    agentConfig: agentOf(pool),
    instanceOptions: { areLegacyImdsEndpointsDisabled: true },
    // Applies between hypervisor and volume: bare metal has no hypervisor.
    isPvEncryptionInTransitEnabled: shape.name.startsWith("VM."),
    ...(typeof capacity === "object" && { capacityReservationId: capacity.reservation }),
    ...(plan.confidential && {
      platformConfig: { type: confidentialShape(shape.name).platform, isMemoryEncryptionEnabled: true },
    }),
    freeformTags: environmentTags(settings),
  };
}

/**
 * Metadata for OKE's programs on a machine. All values are strings. Keys: Oracle's page "Creating
 * Self-Managed Nodes" (2026-09-05), terraform-oci-oke 25ef9a0 modules/workers/instanceconfig.tf;
 * read 2026-11-23.
 */
function metadataOf(
  pool: OkePool,
  { settings, cluster, network }: Pick<InstanceConfigurationArgs, "settings" | "cluster" | "network">,
): Record<string, pulumi.Input<string>> {
  const { plan } = pool;
  return {
    apiserver_host: cluster.apply(({ apiServer }) => apiServer),
    cluster_ca_cert: cluster.apply(({ authority }) => base64(authority)),
    "oke-k8version": settings.kubernetesVersion,
    // OKE's default; all nodes share the add-on that runs it.
    "oke-kubeproxy-proxy-mode": "iptables",
    "oke-tenancy-id": settings.tenancyId,
    "oke-initial-node-labels": Object.entries({ ...plan.labels, ...NATIVE_NETWORK })
      .map(([key, value]) => `${key}=${value}`)
      .join(","),
    "oke-native-pod-networking": "true",
    "oke-max-pods": String(okeMaxPods(plan.shape)),
    "pod-subnets": network.subnetIds.pods,
    "pod-nsgids": network.nsgIds.pods,
    user_data: cluster.apply((joined) => base64(userData(pool, settings.kubernetesVersion, joined))),
  };
}

/**
 * On every node of a cluster with VCN-native pods (terraform-oci-oke 25ef9a0,
 * modules/workers/locals.tf).
 */
const NATIVE_NETWORK = { "oci.oraclecloud.com/vcn-native-ip-cni": "true" };

/**
 * Plugins of Oracle's agent that start the RDMA network, off by default (oci-hpc-oke 61d210a,
 * terraform/oke-workers.tf). Other plugins keep the image's defaults.
 */
function agentOf({ madeBy }: OkePool): Agent {
  const plugins =
    madeBy === "cluster-network"
      ? ["Compute HPC RDMA Authentication", "Compute HPC RDMA Auto-Configuration", "Compute RDMA GPU Monitoring"]
      : [];
  return {
    areAllPluginsDisabled: false,
    isManagementDisabled: false,
    isMonitoringDisabled: false,
    pluginsConfigs: plugins.map((name) => ({ name, desiredState: "ENABLED" })),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
