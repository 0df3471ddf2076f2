/**
 * vLLM's paged KV cache: layer kinds share one pool of equal pages, padded to equal groups. The
 * pool size determines reported tokens and request capacity. Source:
 * vllm/v1/core/kv_cache_planning.py and kv_cache_utils.py (0.33.0).
 */

import { roundUp } from "../../../names/units";
import type { LayerCache } from "../../../planner/memory/kv-cache";
import type { AttentionScope } from "../../../planner/model/architecture";
import { packedLayout } from "./kv-packed-groups";
import type { VllmConstants } from "./versions";

/** Tokens per page, unless an attention back end or recurrent state needs more. */
export const DEFAULT_BLOCK_TOKENS = 16;

export interface KvGroup {
  readonly scope: AttentionScope | { readonly kind: "state"; readonly pagesPerRequest: number };
  /** Layers per page of the group, including padding. */
  readonly layers: number;
  /** Tokens per page: more than in other groups if tokens are smaller. */
  readonly blockTokens: number;
}

/** See versions.json. */
export type GroupingRules = Pick<VllmConstants, "groupSizeTolerance" | "hybridStatePages">;

export interface KvLayout {
  readonly groups: readonly KvGroup[];
  /** Bytes of a page over a group's layers. */
  readonly pageBytes: number;
  /** Fewest tokens per page of any group. */
  readonly blockTokens: number;
}

/**
 * Layout of a stage's layers; undefined without a cache.
 *
 * @param defaultBlockTokens per page, unless a recurrent state needs more.
 */
export function kvLayout(
  caches: readonly LayerCache[],
  rules: GroupingRules,
  defaultBlockTokens: number = DEFAULT_BLOCK_TOKENS,
): KvLayout | undefined {
  if (caches.some(({ paged }) => paged !== undefined)) {
    return packedLayout(caches.flatMap(({ paged }) => paged ?? []));
  }
  const buckets = layerBuckets(caches, rules.hybridStatePages);
  if (buckets.length === 0) {
    return undefined;
  }
  const bytesPerToken = Math.max(...caches.map((cache) => cache.bytesPerToken));
  const stateBytes = Math.max(...caches.map((cache) => cache.stateBytes));
  // pages are equal, so a token page is enlarged to hold a recurrent state
  const blockTokens =
    bytesPerToken === 0
      ? defaultBlockTokens
      : Math.max(defaultBlockTokens, roundUp(Math.ceil(stateBytes / bytesPerToken), defaultBlockTokens));
  const [only] = buckets;
  if (buckets.length === 1 && only !== undefined) {
    const pageBytes =
      bytesPerToken === 0 ? stateBytes * only.layers : sum(caches.map((cache) => cache.bytesPerToken)) * blockTokens;
    return { groups: [{ scope: only.scope, layers: only.layers, blockTokens }], pageBytes, blockTokens };
  }
  const layerPageBytes = bytesPerToken === 0 ? stateBytes : bytesPerToken * blockTokens;
  const sizes = buckets.map((bucket) => bucket.layers);
  const [smallest, largest] = [Math.min(...sizes), Math.max(...sizes)];
  const layers = largest < smallest * rules.groupSizeTolerance ? largest : smallest;
  return {
    groups: buckets.flatMap((bucket) => {
      const group = {
        scope: bucket.scope,
        layers,
        blockTokens: bucket.bytesPerToken === 0 ? blockTokens : Math.floor(layerPageBytes / bucket.bytesPerToken),
      };
      return Array.from({ length: Math.ceil(bucket.layers / layers) }, () => group);
    }),
    pageBytes: layerPageBytes * layers,
    blockTokens,
  };
}

/** Tokens in the pool with all groups counted equally: the report of vLLM up to 0.20. */
export function pooledTokens(layout: KvLayout, poolBytes: number): number {
  const blocks = Math.max(0, Math.floor(poolBytes / layout.pageBytes));
  return Math.floor(blocks / layout.groups.length) * layout.blockTokens;
}

/**
 * Pages of a request over all groups: bounded windows stop growing.
 * @param inFlightTokens scheduled but unsettled tokens, for which windows keep pages: a multiple of
 *   max-num-batched-tokens
 */
export function pagesPerRequest(layout: KvLayout, tokens: number, inFlightTokens: number): number {
  return sum(layout.groups.map((group) => groupPages(group, tokens, inFlightTokens)));
}

/** Requests of a length that fit into the pool, as a fraction. */
export function requestCapacity(layout: KvLayout, poolBytes: number, tokens: number, inFlightTokens: number): number {
  const blocks = Math.max(0, Math.floor(poolBytes / layout.pageBytes));
  return blocks / pagesPerRequest(layout, tokens, inFlightTokens);
}

/** Bytes of a number of requests of a length on one GPU. */
export function requestBytes(layout: KvLayout, requests: number, tokens: number, inFlightTokens: number): number {
  return requests * pagesPerRequest(layout, tokens, inFlightTokens) * layout.pageBytes;
}

function groupPages(group: KvGroup, tokens: number, inFlightTokens: number): number {
  const { blockTokens } = group;
  const whole = Math.ceil(tokens / blockTokens);
  switch (group.scope.kind) {
    case "state":
      return group.scope.pagesPerRequest;
    case "full":
      return whole;
    case "sliding":
      return Math.min(
        Math.ceil(Math.min(group.scope.windowTokens - 1 + inFlightTokens, tokens) / blockTokens) + 1,
        whole + 1,
      );
    case "chunked":
      return Math.ceil(Math.min(group.scope.windowTokens + inFlightTokens, tokens) / blockTokens);
  }
}

interface LayerBucket {
  readonly scope: KvGroup["scope"];
  layers: number;
  /** Of the largest layer; 0 for states. */
  bytesPerToken: number;
}

function layerBuckets(caches: readonly LayerCache[], hybridStatePages: number): readonly Readonly<LayerBucket>[] {
  const pagesPerRequest = caches.some((cache) => cache.bytesPerToken > 0) ? hybridStatePages : 1;
  const buckets = new Map<string, LayerBucket>();
  for (const { bytesPerToken, scope, stateBytes } of caches) {
    if (bytesPerToken > 0) {
      add(scope, bytesPerToken);
    }
    if (stateBytes > 0) {
      add({ kind: "state", pagesPerRequest }, 0);
    }
  }
  return [...buckets.values()];

  function add(scope: KvGroup["scope"], bytesPerToken: number): void {
    const key = "windowTokens" in scope ? `${scope.kind}:${scope.windowTokens}` : scope.kind;
    const bucket = buckets.get(key) ?? { scope, layers: 0, bytesPerToken: 0 };
    bucket.layers += 1;
    bucket.bytesPerToken = Math.max(bucket.bytesPerToken, bytesPerToken);
    buckets.set(key, bucket);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
