import { getInstanceTypeOfferings } from "@pulumi/aws/ec2/getInstanceTypeOfferings";
import type { Provider } from "@pulumi/aws/provider";
import { getServiceQuota } from "@pulumi/aws/servicequotas/getServiceQuota";
import { type EksCapacityAnswer, quotasOf } from "./capacity";
import type { EksPool } from "./settings";

/** Asks Amazon what a region has for the pools, before anything is made. */
export type AskEksCapacity = (pools: readonly EksPool[]) => Promise<EksCapacityAnswer>;

/**
 * Asks by functions of the provider, in previews too: which zones offer a shape, and how large the quotas are. How much of
 * them is used no function tells. A quota that nobody answers for is left out.
 *
 * The answer throws whatever the provider throws when it cannot tell where shapes are offered.
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
        // Who may make clusters need not be allowed to read quotas. Unknown is no reason to refuse.
        return [];
      }
    }),
  );
  return {
    zones: Object.fromEntries(names.map((name) => [name, zonesOf(name)])),
    quotas: Object.fromEntries(quotas.flat()),
  };
}
