import { canonicalCidr, ipv4Cidr, type Network, overlaps, parseCidr } from "../../../names/cidr";

/** In order of address allocation. */
export const OKE_SUBNETS = ["endpoint", "loadBalancers", "nodes", "pods"] as const;
export type OkeSubnet = (typeof OKE_SUBNETS)[number];
type Subnets = Readonly<Record<OkeSubnet, string>>;

export interface WrittenAddresses {
  readonly vcn: string;
  readonly services: string;
  readonly subnets: Readonly<Partial<Record<OkeSubnet, string | undefined>>>;
}

export interface OkeAddresses {
  readonly vcn: string;
  readonly services: string;
  readonly subnets: Subnets;
}

/**
 * Default share as bits beyond the network's prefix, and smallest allowed subnet: OKE wants /29 for
 * the endpoint, and a load balancer needs more addresses during replacement.
 */
const SHARES: Readonly<Record<OkeSubnet, { readonly bits: number; readonly longest: number }>> = {
  endpoint: { bits: 12, longest: 29 },
  loadBalancers: { bits: 8, longest: 28 },
  nodes: { bits: 4, longest: 28 },
  pods: { bits: 2, longest: 26 },
};

/**
 * Configured subnets stay; others are placed around them, at their default where possible, because
 * subnets do not move. Undefined where the network is too small, or is none of IPv4.
 */
export function okeAddresses({ vcn, services, subnets: written }: WrittenAddresses): OkeAddresses | undefined {
  const network = parseCidr(vcn);
  if (network?.family !== 4) {
    return undefined;
  }
  const usual = layOut(network, {}, {});
  const subnets = layOut(network, written, usual ?? {});
  return subnets && { vcn, services, subnets };
}

/** Defaults. */
export const USUAL_OKE_ADDRESSES: OkeAddresses = {
  vcn: "10.0.0.0/16",
  services: "10.96.0.0/16",
  subnets: { endpoint: "10.0.0.0/28", loadBalancers: "10.0.1.0/24", nodes: "10.0.16.0/20", pods: "10.0.64.0/18" },
};

function layOut(
  vcn: Network,
  written: WrittenAddresses["subnets"],
  usual: Readonly<Partial<Subnets>>,
): Subnets | undefined {
  const size = vcn.last - vcn.first + 1n;
  const prefix = 32 - (size.toString(2).length - 1);
  const chosen: Partial<Record<OkeSubnet, string>> = {};
  const taken: Network[] = Object.values(written).flatMap((cidr) => parseCidr(cidr ?? "") ?? []);
  const isFree = (network: Network) => !taken.some((other) => overlaps(network, other));
  for (const name of OKE_SUBNETS) {
    const own = written[name];
    if (own !== undefined) {
      chosen[name] = canonicalCidr(own) ?? own;
      continue;
    }
    const before = usual[name];
    const kept = before === undefined ? undefined : parseCidr(before);
    const { bits, longest } = SHARES[name];
    const cidr = kept && isFree(kept) ? before : firstFree(vcn, Math.min(prefix + bits, longest), isFree);
    const network = parseCidr(cidr ?? "");
    if (cidr === undefined || network === undefined) {
      return undefined;
    }
    chosen[name] = cidr;
    taken.push(network);
  }
  return chosen as Record<OkeSubnet, string>;
}

/** The first aligned network of a size. */
function firstFree(vcn: Network, prefix: number, isFree: (network: Network) => boolean): string | undefined {
  const size = 1n << BigInt(32 - prefix);
  for (let first = vcn.first; first + size - 1n <= vcn.last; first += size) {
    if (isFree({ family: 4, first, last: first + size - 1n })) {
      return ipv4Cidr(first, prefix);
    }
  }
  return undefined;
}
