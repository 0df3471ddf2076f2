import { parseCidr } from "../../names/cidr";

/** Blocks wider than these hold strangers, whoever they were meant for: half the internet is as open as all of it. */
const WIDEST = { 4: 1n << 24n, 6: 1n << 112n } as const;

/** True for a block of addresses that is open to strangers. */
export function isWorldOpen(cidr: string): boolean {
  const block = parseCidr(cidr);
  return block !== undefined && block.last - block.first >= WIDEST[block.family];
}
