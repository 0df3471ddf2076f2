import { getAvailabilityDomainsOutput } from "@pulumi/oci/identity/getAvailabilityDomains";
import * as pulumi from "@pulumi/pulumi";
import type { OkeSettings } from "./settings";

/** Names of the region's availability domains: each tenancy has its own, as in "Uocm:EU-FRANKFURT-1-AD-2". */
export function availabilityDomainNames(
  { tenancyId }: Pick<OkeSettings, "tenancyId">,
  opts: pulumi.InvokeOutputOptions,
): pulumi.Output<readonly string[]> {
  const found = getAvailabilityDomainsOutput({ compartmentId: tenancyId }, opts);
  return found.availabilityDomains.apply((domains) => domains.map(({ name }) => name));
}

/**
 * The name of an availability domain by its number, which every name ends with.
 *
 * @param pool names it in the message.
 * @throws pulumi.RunError where the region has none of that number.
 */
export function availabilityDomainName(pool: string, number: number, names: readonly string[]): string {
  const found = names.find((name) => name.endsWith(`-AD-${number}`));
  if (found === undefined) {
    const numbers = names.flatMap((name) => /-AD-(\d+)$/.exec(name)?.[1] ?? []).sort();
    throw new pulumi.RunError(
      `pools.${pool}.availabilityDomains: the region has no availability domain ${number}, only ${numbers.join(", ")}. Write availabilityDomains: [${numbers[0] ?? 1}]`,
    );
  }
  return found;
}
