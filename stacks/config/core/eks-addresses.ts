import { ipv4Cidr, parseCidr } from "../../../names/cidr";

/** Subnets of one kind, CIDR by zone. */
export interface EksAddresses {
  readonly nodes: Readonly<Record<string, string>>;
  readonly controlPlane: Readonly<Record<string, string>>;
  readonly public: Readonly<Record<string, string>>;
}

/** EKS accepts /28 and larger; load balancers want eight free addresses. */
const SMALLEST = 28;
/** The first block is split into sixteen: half for the control plane, half public. */
const SMALL_BITS = 4;

/**
 * Equal blocks, one more than zones, rounded up to a power of two. A zone's position decides its
 * addresses, so that adding zones at the end moves none while the power of two stays.
 *
 * @returns undefined where the network is too small, or is none of IPv4.
 */
export function eksAddresses(vpc: string, zones: readonly string[]): EksAddresses | undefined {
  const network = parseCidr(vpc);
  if (network?.family !== 4) {
    return undefined;
  }
  const prefix = 32 - ((network.last - network.first + 1n).toString(2).length - 1);
  const large = prefix + Math.ceil(Math.log2(zones.length + 1));
  const small = large + SMALL_BITS;
  if (small > SMALLEST) {
    return undefined;
  }
  const size = (bits: number) => 1n << BigInt(32 - bits);
  const each = (cidr: (index: bigint) => string) =>
    Object.fromEntries(zones.map((zone, index) => [zone, cidr(BigInt(index))]));
  // Splitting the first block keeps public addresses at the network's start for any size.
  const smallAt = (index: bigint) => ipv4Cidr(network.first + index * size(small), small);
  return {
    controlPlane: each(smallAt),
    public: each((index) => smallAt(index + 8n)),
    nodes: each((index) => ipv4Cidr(network.first + (index + 1n) * size(large), large)),
  };
}

/** Defaults. */
export const USUAL_EKS_NETWORK = { vpc: "10.0.0.0/16", services: "172.20.0.0/16" } as const;
