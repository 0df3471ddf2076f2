/**
 * vLLM's packing of caches with different page sizes into one pool of equal blocks: caches of one
 * kind form a bucket. Large buckets are split into groups with similar bytes per block. Source:
 * _get_packed_kv_cache_groups and _approximate_gcd in v1/core/kv_cache_planning.py (vLLM 0.33.0).
 */
import type { PagedCache } from "../../../planner/memory/compressed-cache";
import type { KvGroup, KvLayout } from "./kv-groups";

/** Caches of one scope and block length. */
interface Bucket {
  readonly scope: PagedCache["scope"];
  readonly blockTokens: number;
  readonly counts: Map<number, number>;
}

/** Layout of a stage's caches; undefined if there are none. */
export function packedLayout(caches: readonly PagedCache[]): KvLayout | undefined {
  const buckets = bucketsOf(caches);
  if (buckets.length === 0) {
    return undefined;
  }
  const balanced = buckets.filter(isBalanced);
  // a bucket with several page sizes stays whole, and limits how finely others are split
  const floor = Math.max(0, ...balanced.filter(({ counts }) => counts.size > 1).map(mostLayers));
  const repeats = floor === 0 ? undefined : leastPadding(balanced.map(mostLayers), floor);
  const split = buckets.map((bucket) => ({ ...bucket, groups: groupsOf(bucket, buckets, repeats) }));
  const groups = split.flatMap((bucket) => {
    const { scope, blockTokens, groups: number } = bucket;
    const layers = Math.ceil(layersOf(bucket) / number);
    return Array.from({ length: number }, (): KvGroup => ({ scope, layers, blockTokens }));
  });
  return {
    groups,
    pageBytes: Math.max(...split.map((bucket) => bytesOf(bucket, bucket.groups))),
    blockTokens: Math.min(...groups.map((group) => group.blockTokens)),
  };
}

/** Number of groups of a bucket. */
function groupsOf(bucket: Bucket, buckets: readonly Bucket[], repeats: number | undefined): number {
  if (repeats !== undefined) {
    return isBalanced(bucket) ? Math.ceil(mostLayers(bucket) / repeats) : 1;
  }
  if (bucket.scope.kind === "full") {
    return 1;
  }
  // no group size given: windows go into blocks as large as the growing caches need
  const anchor = Math.max(
    ...buckets.map((each) => (each.scope.kind === "full" ? bytesOf(each, 1) : bytesOf(each, layersOf(each)))),
  );
  const perBlock = Math.max(1, Math.floor(anchor / largestPage(bucket)));
  return Math.ceil(layersOf(bucket) / perBlock);
}

/** Block bytes of the largest group when a bucket is split this way. */
function bytesOf({ counts }: Bucket, groups: number): number {
  return sum([...counts].map(([bytes, layers]) => bytes * Math.ceil(layers / groups)));
}

function layersOf({ counts }: Bucket): number {
  return sum([...counts.values()]);
}

function largestPage({ counts }: Bucket): number {
  return Math.max(...counts.keys());
}

function bucketsOf(caches: readonly PagedCache[]): readonly Bucket[] {
  const buckets = new Map<string, Bucket>();
  for (const { scope, blockTokens, pageBytes } of caches) {
    const window = "windowTokens" in scope ? scope.windowTokens : 0;
    const key = `${scope.kind} ${window} ${blockTokens}`;
    const bucket = buckets.get(key) ?? { scope, blockTokens, counts: new Map<number, number>() };
    bucket.counts.set(pageBytes, (bucket.counts.get(pageBytes) ?? 0) + 1);
    buckets.set(key, bucket);
  }
  return [...buckets.values()];
}

function isBalanced({ counts }: Bucket): boolean {
  return new Set(counts.values()).size === 1;
}

function mostLayers({ counts }: Bucket): number {
  return Math.max(...counts.values());
}

/** Group size from `least` with the least padding; the largest if equal. */
function leastPadding(layers: readonly number[], least: number): number {
  let best = { size: least, padding: Number.POSITIVE_INFINITY };
  for (let size = least; size <= Math.max(least, ...layers); size++) {
    const padding = sum(layers.map((number) => Math.ceil(number / size) * size - number));
    if (padding <= best.padding) {
      best = { size, padding };
    }
  }
  return best.size;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
