import { NodePool } from "@pulumi/oci/containerengine/nodePool";
import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { OkeKeys } from "./keys";
import type { OkeNetwork } from "./network";
import type { OkePool, OkeSettings } from "./settings";

export interface OkeNodePoolsArgs {
  readonly settings: OkeSettings;
  readonly clusterId: pulumi.Output<string>;
  readonly network: OkeNetwork;
  readonly keys: OkeKeys;
  readonly pools: readonly OkePool[];
}

/** The managed node pools of a cluster. */
export class OkeNodePools extends PlatformComponent {
  /** OCIDs by the pool's name. */
  readonly ids: Readonly<Record<string, pulumi.Output<string>>>;
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: OkeNodePoolsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:OkeNodePools", name, opts);
    const { settings, clusterId, network, keys } = args;
    const pools = args.pools.map(({ plan }) => {
      const { shape } = plan;
      return new NodePool(
        this.child(plan.name),
        {
          clusterId,
          compartmentId: settings.compartmentId,
          name: plan.name,
          kubernetesVersion: settings.kubernetesVersion,
          nodeShape: shape.name,
          ...(shape.cpu.ocpus !== undefined &&
            shape.name.endsWith(".Flex") && {
              nodeShapeConfig: { ocpus: shape.cpu.ocpus, memoryInGbs: shape.memoryGiB },
            }),
          initialNodeLabels: Object.entries(plan.labels).map(([key, value]) => ({ key, value })),
          nodeConfigDetails: {
            size: plan.minNodes,
            placementConfigs: [{ availabilityDomain: "1", subnetId: network.subnetIds.nodes }],
            nsgIds: [network.nsgIds.nodes],
            kmsKeyId: keys.volumesKeyId,
            isPvEncryptionInTransitEnabled: shape.name.startsWith("VM."),
          },
        },
        this.childOptions(),
      );
    });
    this.ready = pools;
    this.ids = Object.fromEntries(args.pools.map(({ plan }, i) => [plan.name, (pools[i] as NodePool).id]));
    this.registerOutputs({});
  }
}
