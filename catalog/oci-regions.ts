import regions from "./oci-regions.json";

export const { asOf: ociRegionsAsOf } = regions;

/** Availability domains of a region of Oracle Cloud; undefined for one that is not listed. */
export function availabilityDomainsOf(region: string): number | undefined {
  const counts: Readonly<Record<string, number>> = regions.availabilityDomains;
  return Object.hasOwn(counts, region) ? counts[region] : undefined;
}
