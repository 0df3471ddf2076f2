import { BlockList, isIP } from "node:net";

/** Whether a block of addresses contains an address of the same family; false for what is no block. */
export function cidrContains(cidr: string, address: string): boolean {
  const block = parse(cidr);
  if (block === undefined || block.family !== familyOf(address)) {
    return false;
  }
  const list = new BlockList();
  list.addSubnet(block.address, block.prefix, block.family);
  return list.check(address, block.family);
}

/** Blocks this large hold strangers, whoever they were meant for: half the internet is as open as all of it. */
const WIDEST_PREFIX = { ipv4: 8, ipv6: 16 } as const;

/** True for a block of addresses that is open to strangers. */
export function isWorldOpen(cidr: string): boolean {
  const block = parse(cidr);
  return block !== undefined && block.prefix < WIDEST_PREFIX[block.family];
}

function parse(cidr: string) {
  const [address = "", length, ...rest] = cidr.trim().split("/");
  const family = familyOf(address);
  const prefix = Number(length);
  const isBlock =
    family !== undefined && rest.length === 0 && /^\d+$/.test(length ?? "") && prefix <= (family === "ipv4" ? 32 : 128);
  return isBlock ? { address, prefix, family } : undefined;
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? "ipv4" : "ipv6";
}
