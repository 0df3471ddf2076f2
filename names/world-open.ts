import { type Network, PRIVATE_IPV4, parseCidr, SHARED_IPV4 } from "./cidr";

/** Larger networks include strangers: half the internet is as open as all of it. */
const MOST = { 4: 1n << 24n, 6: 1n << 112n } as const;

/** Private networks of organizations. */
const PRIVATE = [...PRIVATE_IPV4, SHARED_IPV4].flatMap((cidr) => parseCidr(cidr) ?? []);

/** Whether the combined CIDRs are open to strangers, however they are split. */
export function isWorldOpen(...cidrs: readonly string[]): boolean {
  const networks = cidrs.flatMap((cidr) => parseCidr(cidr) ?? []);
  return ([4, 6] as const).some((family) => {
    const blocks = union(networks.filter((network) => network.family === family));
    const strangers = blocks.reduce((sum, block) => sum + size(block) - privatePart(block), 0n);
    return strangers > MOST[family] || blocks.some((block) => size(block) > MOST[family]);
  });
}

/** Merges overlapping and adjacent networks. */
function union(networks: readonly Network[]): Network[] {
  const merged: Network[] = [];
  for (const network of [...networks].sort((a, b) => (a.first < b.first ? -1 : 1))) {
    const before = merged.at(-1);
    if (before !== undefined && network.first <= before.last + 1n) {
      merged[merged.length - 1] = { ...before, last: network.last > before.last ? network.last : before.last };
    } else {
      merged.push(network);
    }
  }
  return merged;
}

function size({ first, last }: Network): bigint {
  return last - first + 1n;
}

function privatePart(block: Network): bigint {
  const shared = PRIVATE.filter(({ family }) => family === block.family).map(({ first, last }) => ({
    first: first > block.first ? first : block.first,
    last: last < block.last ? last : block.last,
  }));
  return shared.reduce((sum, { first, last }) => (last < first ? sum : sum + last - first + 1n), 0n);
}
