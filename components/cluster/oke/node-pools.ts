import { NodePool } from "@pulumi/oci/containerengine/nodePool";
import type { ContainerEngine } from "@pulumi/oci/types/input";
import * as pulumi from "@pulumi/pulumi";
import { okeMaxPods } from "../../../catalog/oke-pods";
import type { PoolsReady } from "../../core/cluster";
import { PlatformComponent } from "../../core/platform-component";
import { isAutoscaled, nodeTemplateTags } from "./autoscaler";
import { availabilityDomainName, availabilityDomainNames } from "./availability-domains";
import { userData } from "./cloud-init/user-data";
import { computeCluster } from "./compute-clusters";
import { newestImage, offeredImages } from "./images";
import type { OkeKeys } from "./keys";
import type { OkeNetwork } from "./network";
import { ignoredChanges, nodeCycling, replacedOnChange } from "./node-changes";
import type { OkePool, OkeSettings } from "./settings";
import { environmentTags } from "./tags";

export interface OkeNodePoolsArgs {
  readonly settings: OkeSettings;
  readonly clusterId: pulumi.Output<string>;
  readonly network: OkeNetwork;
  readonly keys: OkeKeys;
  readonly pools: readonly OkePool[];
}

/**
 * Bare metal takes half an hour to start, and updates drain one node at a time; OKE allows 50
 * minutes each.
 */
const TIMEOUTS: pulumi.CustomTimeouts = { create: "2h", update: "3h", delete: "2h" };

type Placement = ContainerEngine.NodePoolNodeConfigDetailsPlacementConfig;

export class OkeNodePools extends PlatformComponent {
  readonly ids: Readonly<Record<string, pulumi.Output<string>>>;
  readonly ready: PoolsReady;

  constructor(name: string, args: OkeNodePoolsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:OkeNodePools", name, opts);
    const { settings, clusterId, network, keys } = args;
    const { compartmentId, kubernetesVersion } = settings;
    const asked = { parent: this };
    const domains = availabilityDomainNames(settings, asked);
    const findsImages = args.pools.some(({ image }) => image === undefined);
    const offered = findsImages ? offeredImages(settings, asked) : pulumi.output([]);

    const pools = args.pools.map((pool): readonly [string, NodePool] => {
      const { plan } = pool;
      const { shape } = plan;
      const inDomain = (number: number) => domains.apply((names) => availabilityDomainName(plan.name, number, names));
      const [firstDomain = 1] = pool.availabilityDomains;
      const cluster = pool.computeCluster
        ? computeCluster(
            this.child(`${plan.name}-rdma`),
            settings,
            plan.name,
            inDomain(firstDomain),
            this.childOptions(),
          )
        : undefined;
      const made = new NodePool(
        this.child(plan.name),
        {
          clusterId,
          compartmentId,
          name: plan.name,
          kubernetesVersion,
          nodeShape: shape.name,
          ...(isFlexible(pool) && {
            nodeShapeConfig: { ocpus: shape.cpu.ocpus, memoryInGbs: shape.memoryGiB },
          }),
          nodeSourceDetails: {
            sourceType: "IMAGE",
            imageId:
              pool.image ?? offered.apply((images) => newestImage(plan.name, shape, kubernetesVersion, images).imageId),
            bootVolumeSizeInGbs: String(pool.bootVolumeGiB),
          },
          nodeMetadata: {
            user_data: Buffer.from(userData(pool, kubernetesVersion)).toString("base64"),
            areLegacyImdsEndpointsDisabled: "true",
          },
          initialNodeLabels: Object.entries(plan.labels).map(([key, value]) => ({ key, value })),
          nodeConfigDetails: {
            size: plan.minNodes,
            placementConfigs: pool.availabilityDomains.map((number) => ({
              availabilityDomain: inDomain(number),
              subnetId: network.subnetIds.nodes,
              ...capacityOf(pool),
            })),
            nsgIds: [network.nsgIds.nodes],
            kmsKeyId: keys.volumesKeyId,
            // Applies between hypervisor and volume: bare metal has no hypervisor.
            isPvEncryptionInTransitEnabled: shape.name.startsWith("VM."),
            nodePoolPodNetworkOptionDetails: {
              cniType: "OCI_VCN_IP_NATIVE",
              podSubnetIds: [network.subnetIds.pods],
              podNsgIds: [network.nsgIds.pods],
              maxPodsPerNode: okeMaxPods(shape),
            },
            ...(cluster && { computeClusterId: cluster.id }),
          },
          // Forced: a pod that cannot be evicted must not block a node, and with it an update.
          nodeEvictionNodePoolSettings: {
            evictionGraceDuration: `PT${pool.evictionGraceMinutes}M`,
            isForceActionAfterGraceDuration: true,
            isForceDeleteAfterGraceDuration: true,
          },
          nodePoolCyclingDetails: nodeCycling(pool),
          freeformTags: { ...environmentTags(settings), ...(isAutoscaled(pool) && nodeTemplateTags(pool)) },
        },
        this.childOptions({
          // Routes and security rules: a node that cannot reach its cluster at boot does not join.
          dependsOn: [network],
          ignoreChanges: ignoredChanges(pool),
          replaceOnChanges: replacedOnChange(pool),
          customTimeouts: TIMEOUTS,
        }),
      );
      return [plan.name, made];
    });
    this.ready = Object.fromEntries(pools.map(([poolName, pool]) => [poolName, [pool]]));
    this.ids = Object.fromEntries(pools.map(([poolName, { id }]) => [poolName, id]));
    this.registerOutputs({});
  }
}

function isFlexible({ plan: { shape } }: OkePool): boolean {
  return shape.name.endsWith(".Flex");
}

function capacityOf({ capacity }: OkePool): Pick<Placement, "preemptibleNodeConfig" | "capacityReservationId"> {
  if (capacity === "spot") {
    return { preemptibleNodeConfig: { preemptionAction: { type: "TERMINATE", isPreserveBootVolume: false } } };
  }
  return capacity === "on-demand" ? {} : { capacityReservationId: capacity.reservation };
}
