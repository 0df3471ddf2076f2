import { isIP } from "node:net";

/** IPv4 or IPv6 network in numbers, as text has many spellings. */
export interface Network {
  readonly family: 4 | 6;
  /** First address. */
  readonly first: bigint;
  /** Last address. */
  readonly last: bigint;
}

const BITS = { 4: 32, 6: 128 } as const;

/** IPv4-mapped IPv6 addresses (RFC 4291): sent as IPv4. */
const MAPPED = 0xffffn << 32n;

/** Network of a CIDR such as `10.0.0.0/8`, including IPv4-mapped ones; undefined if invalid. */
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
 * Network of a CIDR or host address, in any spelling programs accept: `2852039166`, `0xa9fea9fe`
 * and `0251.0376.0251.0376` are 169.254.169.254. Undefined for names.
 */
export function parseAddresses(text: string): Network | undefined {
  return parseCidr(text) ?? (text.includes("/") ? undefined : parseCidr(hostCidr(hostAddress(text))));
}

/** Address normalized as in URLs, IPv6 without brackets; other hosts unchanged. */
function hostAddress(host: string): string {
  const url = `http://${host.includes(":") ? `[${host.replace(/%.*$/, "")}]` : host}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$|\.$/g, "") : host;
}

/** Whether a CIDR is IPv4-mapped, which the Kubernetes API refuses. */
export function isMappedIpv4(cidr: string): boolean {
  return cidr.includes(":") && parseCidr(cidr)?.family === 4;
}

/** CIDR as the Kubernetes API requires it: no host bits, lower case, shortest form. */
export function canonicalCidr(cidr: string): string | undefined {
  const network = parseCidr(cidr);
  if (network === undefined) {
    return undefined;
  }
  const { family, first, last } = network;
  const prefix = BITS[family] - (last - first).toString(2).replace(/^0$/, "").length;
  return `${family === 4 ? dotted(first) : compressed(first)}/${prefix}`;
}

export function contains(outer: Network, inner: Network): boolean {
  return outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last;
}

export function hostCidr(address: string): string {
  return `${address}/${address.includes(":") ? 128 : 32}`;
}

/** Whether a CIDR contains an address; false if either is invalid. */
export function cidrContains(cidr: string, address: string): boolean {
  const [network, host] = [parseCidr(cidr), parseCidr(hostCidr(address))];
  return network !== undefined && host !== undefined && contains(network, host);
}

export function overlaps(one: Network, other: Network): boolean {
  return one.family === other.family && one.first <= other.last && other.first <= one.last;
}

/** IPv4 CIDR from its first address. */
export function ipv4Cidr(first: bigint, prefix: number): string {
  return `${dotted(first)}/${prefix}`;
}

/** RFC 1918: private IPv4 addresses. */
export const PRIVATE_IPV4 = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"] as const;

/** RFC 6598: carrier networks, and pods on EKS with custom networking. */
export const SHARED_IPV4 = "100.64.0.0/10";

/** Whether the internet cannot route to an IPv4 address. */
export function isPrivateIpv4(address: string): boolean {
  return isPrivateNetwork(`${address}/32`);
}

/** Whether the internet cannot route to any of an IPv4 CIDR. */
export function isPrivateNetwork(cidr: string): boolean {
  const network = parseCidr(cidr);
  const ranges = [...PRIVATE_IPV4, SHARED_IPV4].flatMap((range) => parseCidr(range) ?? []);
  return network !== undefined && ranges.some((range) => contains(range, network));
}

function addressOf(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((sum, part) => (sum << bits) | BigInt(part), 0n);
}

/** Eight groups of a valid IPv6 address. */
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
