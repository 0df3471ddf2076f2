import { getInstanceTypeOfferings } from "@pulumi/aws/ec2/getInstanceTypeOfferings";
import type { Provider } from "@pulumi/aws/provider";
import { getServiceQuota } from "@pulumi/aws/servicequotas/getServiceQuota";
import { type EksCapacityAnswer, quotasOf } from "./capacity";
import type { EksPool } from "./settings";

/** Queries the capacity of a region before any resource is created. */
export type AskEksCapacity = (pools: readonly EksPool[]) => Promise<EksCapacityAnswer>;

/**
 * Calls provider functions, in previews too: zones that offer a shape, and quota sizes, without
 * usage. Unknown quotas are left out.
 *
 * Rejects if the provider cannot list where shapes are offered.
 */
export function askAwsCapacity(provider: Provider): AskEksCapacity {
  return (pools) => capacityOf(pools, provider);
}

async function capacityOf(pools: readonly EksPool[], provider: Provider): Promise<EksCapacityAnswer> {
  const names = [...new Set(pools.map(({ plan }) => plan.shape.name))].sort();
  const { instanceTypes, locations } = await getInstanceTypeOfferings(
    { locationType: "availability-zone", filters: [{ name: "instance-type", values: names }] },
    { provider },
  );
  const zonesOf = (shape: string) => locations.filter((_zone, index) => instanceTypes[index] === shape).sort();
  const quotas = await Promise.all(
    quotasOf(pools).map(async ({ code }): Promise<[string, number][]> => {
      try {
        const { value } = await getServiceQuota({ serviceCode: "ec2", quotaCode: code }, { provider });
        return [[code, value]];
      } catch {
        // Unknown quotas do not block a deployment: reading them needs permission.
        return [];
      }
    }),
  );
  return {
    zones: Object.fromEntries(names.map((name) => [name, zonesOf(name)])),
    quotas: Object.fromEntries(quotas.flat()),
  };
}
