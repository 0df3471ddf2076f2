import { InstancePool } from "@pulumi/oci/core/instancePool";
import type * as pulumi from "@pulumi/pulumi";
import { type MachineGroupArgs, REPLACED_BY_SHAPE } from "./cluster-network";
import type { OkePool } from "./settings";
import { machineTags } from "./tags";

/** The provider's own is an hour; machines without a hypervisor take half of it to boot. */
const TIMEOUTS: pulumi.CustomTimeouts = { create: "2h", update: "2h", delete: "1h" };

/** Machines with settings that no node pool has. All but their shape changes in place, for machines that are made later. */
export function instancePool(
  name: string,
  { plan }: OkePool,
  { settings, instanceConfigurationId, subnetId, availabilityDomains }: MachineGroupArgs,
  opts: pulumi.CustomResourceOptions,
): InstancePool {
  return new InstancePool(
    name,
    {
      compartmentId: settings.compartmentId,
      displayName: plan.name,
      instanceConfigurationId,
      size: plan.minNodes,
      placementConfigurations: availabilityDomains.map((availabilityDomain) => ({
        availabilityDomain,
        primarySubnetId: subnetId,
      })),
      freeformTags: machineTags(settings, plan.shape),
    },
    { ...opts, ...REPLACED_BY_SHAPE, customTimeouts: TIMEOUTS },
  );
}
