import { getAvailabilityDomainsOutput } from "@pulumi/oci/identity/getAvailabilityDomains";
import * as pulumi from "@pulumi/pulumi";
import type { OkeSettings } from "./settings";

/** Availability domain names of the region, unique per tenancy: "Uocm:EU-FRANKFURT-1-AD-2". */
export function availabilityDomainNames(
  { tenancyId }: Pick<OkeSettings, "tenancyId">,
  opts: pulumi.InvokeOutputOptions,
): pulumi.Output<readonly string[]> {
  const found = getAvailabilityDomainsOutput({ compartmentId: tenancyId }, opts);
  return found.availabilityDomains.apply((domains) => domains.map(({ name }) => name));
}

/**
 * Name of an availability domain by the number at its end.
 *
 * @param pool for the message.
 * @throws pulumi.RunError if the region has none of that number.
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
