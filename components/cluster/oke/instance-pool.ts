import { InstancePool } from "@pulumi/oci/core/instancePool";
import type * as pulumi from "@pulumi/pulumi";
import { type MachineGroupArgs, REPLACED_BY_SHAPE } from "./cluster-network";
import type { OkePool } from "./settings";
import { machineTags } from "./tags";

/** The provider's default is an hour; bare metal takes half of it to boot. */
const TIMEOUTS: pulumi.CustomTimeouts = { create: "2h", update: "2h", delete: "1h" };

/** Machines with settings that node pools lack. Changes except of shape apply to new machines. */
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
