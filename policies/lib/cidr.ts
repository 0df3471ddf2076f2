import { contains, parseCidr } from "../../names/cidr";

/** Whether a block of addresses contains an address; false for what is no block. */
export function cidrContains(cidr: string, address: string): boolean {
  const [block, single] = [parseCidr(cidr), parseCidr(`${address}/${address.includes(":") ? 128 : 32}`)];
  return block !== undefined && single !== undefined && contains(block, single);
}

/** Blocks wider than these hold strangers, whoever they were meant for: half the internet is as open as all of it. */
const WIDEST = { 4: 1n << 24n, 6: 1n << 112n } as const;

/** True for a block of addresses that is open to strangers. */
export function isWorldOpen(cidr: string): boolean {
  const block = parseCidr(cidr);
  return block !== undefined && block.last - block.first >= WIDEST[block.family];
}
