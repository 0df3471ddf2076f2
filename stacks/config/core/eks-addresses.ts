import { ipv4Cidr, parseCidr } from "../../../names/cidr";

/** Subnets of one kind, in CIDR form by zone. */
export interface EksAddresses {
  readonly nodes: Readonly<Record<string, string>>;
  readonly controlPlane: Readonly<Record<string, string>>;
  readonly public: Readonly<Record<string, string>>;
}

/** EKS takes /28 and larger; load balancers want eight free addresses in theirs. */
const SMALLEST = 28;
/** The block beside the nodes' ones is cut into sixteen: the first half for the control plane, the other one public. */
const SMALL_BITS = 4;

/**
 * The address plan: as many equal blocks as zones and one, in the least power of two. A zone's place decides its addresses,
 * so that a zone that is added at the end moves no other as long as the power of two stays.
 *
 * @returns undefined where the network has no room, or is none of IPv4.
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
  // The first block is cut up, so that what may be exposed has the network's first addresses whatever its size.
  const smallAt = (index: bigint) => ipv4Cidr(network.first + index * size(small), small);
  return {
    controlPlane: each(smallAt),
    public: each((index) => smallAt(index + 8n)),
    nodes: each((index) => ipv4Cidr(network.first + (index + 1n) * size(large), large)),
  };
}

/** Of a network of which nobody says anything. */
export const USUAL_EKS_NETWORK = { vpc: "10.0.0.0/16", services: "172.20.0.0/16" } as const;
