import { PlacementGroup } from "@pulumi/aws/ec2/placementGroup";
import { NodeGroup } from "@pulumi/aws/eks/nodeGroup";
import type * as pulumi from "@pulumi/pulumi";
import { eksImageType } from "../../../catalog/eks";
import type { MachineShape } from "../../../catalog/shapes";
import type { Taint } from "../../../planner/types";
import type { PoolsReady } from "../../core/cluster";
import { PlatformComponent } from "../../core/platform-component";
import type { EksControlPlane } from "./control-plane";
import type { EfaSecurityGroup } from "./efa";
import type { EksKeys } from "./keys";
import { nodeTemplate, registeredTaints } from "./launch-template";
import type { EksNetwork } from "./network";
import { nodeRole } from "./node-role";
import type { EksCapacity, EksPool, EksSettings } from "./settings";

export interface EksNodeGroupsArgs {
  readonly settings: EksSettings;
  readonly controlPlane: EksControlPlane;
  readonly network: EksNetwork;
  readonly keys: Pick<EksKeys, "volumesKeyArn">;
  /** Undefined if no pool has EFA. */
  readonly efa: EfaSecurityGroup | undefined;
  /** Pools with nodes in a group. */
  readonly pools: readonly EksPool[];
  /** Add-ons that nodes need to become ready. */
  readonly after: readonly pulumi.Resource[];
}

/** GPU machines start slowly; an update drains one node at a time, up to 15 minutes each. */
const TIMEOUTS: pulumi.CustomTimeouts = { create: "1h", update: "3h", delete: "1h" };

/**
 * EKS allows 63 characters; the provider's suffix takes 26 (hashicorp/terraform-provider-aws,
 * id.UniqueId).
 */
const LONGEST_PREFIX = 37;

/** Managed node groups: always-on nodes, reservations, and nodes to check before models start. */
export class EksNodeGroups extends PlatformComponent {
  readonly ready: PoolsReady;

  constructor(name: string, args: EksNodeGroupsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksNodeGroups", name, opts);
    const { settings, controlPlane, network, keys, efa, pools, after } = args;
    const role = nodeRole(this.child("role"), settings, this.childOptions());
    const groups = pools.map((pool): readonly [string, NodeGroup] => {
      const { plan, groupNodes } = pool;
      const template = nodeTemplate(
        this.child(`${plan.name}-machine`),
        {
          settings,
          pool,
          volumesKeyArn: keys.volumesKeyArn,
          // EKS adds the cluster's group only if the template names none.
          securityGroupIds: [
            controlPlane.securityGroupId,
            ...(pool.efa && efa !== undefined ? [efa.securityGroupId] : []),
          ],
          placementGroupName: pool.placementGroup ? this.placementGroup(plan.name) : undefined,
        },
        this.childOptions(),
      );
      const group = new NodeGroup(
        this.child(plan.name),
        {
          clusterName: controlPlane.clusterName,
          nodeGroupNamePrefix: `${plan.name.slice(0, LONGEST_PREFIX - 1)}-`,
          nodeRoleArn: role.arn,
          subnetIds: pool.zones.map((zone) => subnetOf(network, zone)),
          amiType: imageType(plan.shape),
          version: settings.kubernetesVersion,
          capacityType: capacityType(pool.capacity),
          ...(!isBlock(pool.capacity) && { instanceTypes: [plan.shape.name] }),
          scalingConfig: {
            minSize: isBlock(pool.capacity) ? 0 : groupNodes,
            desiredSize: groupNodes,
            maxSize: groupNodes,
          },
          // GPU machines are scarce: remove one before its successor starts.
          updateConfig: { maxUnavailable: 1, ...(plan.shape.gpu && { updateStrategy: "MINIMAL" }) },
          launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
          labels: { ...plan.labels },
          taints: registeredTaints(pool).length > 0 ? [] : plan.taints.map(groupTaint),
          // A pod that cannot be evicted must not keep a node on an old version.
          forceUpdateVersion: true,
        },
        this.childOptions({
          // A node without role permissions, add-ons or egress never becomes ready.
          dependsOn: [...role.ready, ...(efa?.ready ?? []), ...after],
          // EKS removes a capacity block's nodes before its machines end. Other groups have a fixed
          // size; EKS refuses a minimum above an ignored size (terraform-aws-eks#2030).
          ignoreChanges: isBlock(pool.capacity) ? ["scalingConfig.desiredSize"] : [],
          // Reserved machines are limited: a second group would wait for those of the first.
          deleteBeforeReplace: typeof pool.capacity === "object",
          customTimeouts: TIMEOUTS,
        }),
      );
      return [plan.name, group];
    });
    this.ready = Object.fromEntries(groups.map(([pool, group]) => [pool, [group]]));
    this.registerOutputs({});
  }

  private placementGroup(pool: string): pulumi.Output<string> {
    return new PlacementGroup(this.child(`${pool}-placement`), { strategy: "cluster" }, this.childOptions()).name;
  }
}

function subnetOf({ subnetIds }: Pick<EksNetwork, "subnetIds">, zone: string): pulumi.Output<string> {
  const subnet = subnetIds.nodes[zone];
  if (subnet === undefined) {
    throw new Error(`no subnet in ${zone}: validation should have refused it`);
  }
  return subnet;
}

function imageType(shape: MachineShape): string {
  const type = eksImageType(shape);
  if (type === undefined) {
    throw new Error(`no image of Amazon's for ${shape.name}: validation should have refused it`);
  }
  return type;
}

function isBlock(capacity: EksCapacity): boolean {
  return typeof capacity === "object" && "capacityBlock" in capacity;
}

function capacityType(capacity: EksCapacity): string {
  if (isBlock(capacity)) {
    return "CAPACITY_BLOCK";
  }
  return capacity === "spot" ? "SPOT" : "ON_DEMAND";
}

const EFFECTS: Readonly<Record<Taint["effect"], string>> = {
  NoSchedule: "NO_SCHEDULE",
  NoExecute: "NO_EXECUTE",
  PreferNoSchedule: "PREFER_NO_SCHEDULE",
};

function groupTaint({ key, value, effect }: Taint) {
  return { key, effect: EFFECTS[effect], ...(value !== undefined && { value }) };
}
