import { isIP } from "node:net";

/** A network of IPv4 or IPv6 addresses, as numbers: text of addresses has many spellings. */
export interface Network {
  readonly family: 4 | 6;
  /** First address. */
  readonly first: bigint;
  /** Last address. */
  readonly last: bigint;
}

const BITS = { 4: 32, 6: 128 } as const;

/** IPv6 addresses that are IPv4 addresses (RFC 4291): packets to them are IPv4. */
const MAPPED = 0xffffn << 32n;

/** Addresses of a network in CIDR form, such as `10.0.0.0/8`, those of IPv4 in the form of IPv6 included; undefined for any other text. */
export function parseCidr(cidr: string): Network | undefined {
  const [, address = "", digits = ""] = /^([0-9a-fA-F.:]+)\/(0|[1-9]\d{0,2})$/.exec(cidr) ?? [];
  const family = isIP(address);
  if (family !== 4 && family !== 6) {
    return undefined;
  }
  const hostBits = BITS[family] - Number(digits);
  if (hostBits < 0) {
    return undefined;
  }
  const size = 1n << BigInt(hostBits);
  const number = family === 4 ? addressOf(address.split(".").map(Number), 8n) : addressOf(groupsOf(address), 16n);
  const first = number - (number % size);
  const isMapped = family === 6 && hostBits <= BITS[4] && first >> 32n === MAPPED >> 32n;
  return isMapped
    ? { family: 4, first: first - MAPPED, last: first - MAPPED + size - 1n }
    : { family, first, last: first + size - 1n };
}

/**
 * Addresses that a network in CIDR form or a host stands for. A host is read as programs read one: `2852039166`, `0xa9fea9fe` and
 * `0251.0376.0251.0376` are 169.254.169.254. Undefined for names.
 */
export function parseAddresses(text: string): Network | undefined {
  return parseCidr(text) ?? (text.includes("/") ? undefined : parseCidr(hostCidr(hostAddress(text))));
}

/** The address in the form of the URL standard, IPv6 without brackets; other hosts as they are. */
function hostAddress(host: string): string {
  const url = `http://${host.includes(":") ? `[${host.replace(/%.*$/, "")}]` : host}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$|\.$/g, "") : host;
}

/** Whether a network in CIDR form is one of IPv4 in the form of IPv6, which the Kubernetes API refuses. */
export function isMappedIpv4(cidr: string): boolean {
  return cidr.includes(":") && parseCidr(cidr)?.family === 4;
}

/** The same network as the Kubernetes API wants it written: no address bits behind the prefix, lower case, shortest form. */
export function canonicalCidr(cidr: string): string | undefined {
  const network = parseCidr(cidr);
  if (network === undefined) {
    return undefined;
  }
  const { family, first, last } = network;
  const prefix = BITS[family] - (last - first).toString(2).replace(/^0$/, "").length;
  return `${family === 4 ? dotted(first) : compressed(first)}/${prefix}`;
}

/** Whether every address of the inner network is one of the outer network. */
export function contains(outer: Network, inner: Network): boolean {
  return outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last;
}

/** The network of one address, in CIDR form. */
export function hostCidr(address: string): string {
  return `${address}/${address.includes(":") ? 128 : 32}`;
}

/** Whether a network in CIDR form contains an address; false where one of them is none. */
export function cidrContains(cidr: string, address: string): boolean {
  const [network, host] = [parseCidr(cidr), parseCidr(hostCidr(address))];
  return network !== undefined && host !== undefined && contains(network, host);
}

/** Whether any address is one of both networks. */
export function overlaps(one: Network, other: Network): boolean {
  return one.family === other.family && one.first <= other.last && other.first <= one.last;
}

/** A network of IPv4 by its first address. */
export function ipv4Cidr(first: bigint, prefix: number): string {
  return `${dotted(first)}/${prefix}`;
}

/** RFC 1918: IPv4 addresses that many networks have, each its own. */
export const PRIVATE_IPV4 = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"] as const;

/** RFC 6598: carriers' networks, and pods on EKS with custom networking. */
export const SHARED_IPV4 = "100.64.0.0/10";

/** Whether an IPv4 address is of a network that the internet has no way to. */
export function isPrivateIpv4(address: string): boolean {
  return isPrivateNetwork(`${address}/32`);
}

/** Whether all of an IPv4 network in CIDR form is one that the internet has no way to. */
export function isPrivateNetwork(cidr: string): boolean {
  const network = parseCidr(cidr);
  const ranges = [...PRIVATE_IPV4, SHARED_IPV4].flatMap((range) => parseCidr(range) ?? []);
  return network !== undefined && ranges.some((range) => contains(range, network));
}

function addressOf(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((sum, part) => (sum << bits) | BigInt(part), 0n);
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const embedded = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  if (embedded) {
    const [, head = "", ...bytes] = embedded;
    const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
    return groupsOf(`${head}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`);
  }
  const [head = "", tail] = address.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const before = groups(head);
  if (tail === undefined) {
    return before;
  }
  const after = groups(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function dotted(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join(".");
}

/** The form of RFC 5952. */
function compressed(address: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((address >> BigInt(16 * (7 - i))) & 0xffffn).toString(16));
  const text = groups.join(":");
  const [longest] = [...text.matchAll(/\b0(:0)+\b/g)].sort((a, b) => b[0].length - a[0].length);
  if (longest === undefined) {
    return text;
  }
  const before = text.slice(0, longest.index);
  const after = text.slice(longest.index + longest[0].length);
  return `${before.replace(/:$/, "")}::${after.replace(/^:/, "")}`;
}
