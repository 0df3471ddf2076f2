/** KV cache size: exact bytes per token, savings of bounded windows, and fixed states. */
import {
  type AttentionScope,
  DTYPE_BYTES,
  type Dtype,
  type HeadGrouping,
  type Mixer,
  type ModelArchitecture,
  mixersOf,
} from "../model/architecture";

import { compressedCaches, type PagedCache } from "./compressed-cache";

/**
 * "auto" is the model's type. Where a vLLM version takes fp8 for a checkpoint, the request already
 * says "fp8" (served-model.ts).
 */
export type KvCacheDtype = "auto" | "bfloat16" | "fp8";

/** One layer on one GPU. */
export interface LayerCache {
  /** 0 for layers without a growing cache. */
  readonly bytesPerToken: number;
  readonly scope: AttentionScope;
  /** Per sequence of any length. */
  readonly stateBytes: number;
  /** All caches of a layer with separate pages; `bytesPerToken` is the part that keeps growing. */
  readonly paged?: readonly PagedCache[];
}

const FULL_SCOPE: AttentionScope = { kind: "full" };

/**
 * Bytes per token with every attention layer in full, all GPUs of a replica together. Latent
 * attention counts its vector once, although tensor parallelism repeats it.
 */
export function kvCacheBytesPerToken(architecture: ModelArchitecture, dtype: KvCacheDtype = "auto"): number {
  return layerCaches(architecture, dtype, 1).reduce((total, layer) => total + layer.bytesPerToken, 0);
}

/** Once every bounded window is full. */
export function kvCacheBytesPerTokenBeyondWindow(
  architecture: ModelArchitecture,
  dtype: KvCacheDtype = "auto",
): number {
  return layerCaches(architecture, dtype, 1)
    .filter((layer) => layer.scope.kind === "full")
    .reduce((total, layer) => total + layer.bytesPerToken, 0);
}

/** Fixed states of Mamba and linear-attention layers. */
export function stateElementsPerSequence(architecture: ModelArchitecture): {
  readonly convolution: number;
  readonly recurrent: number;
} {
  let convolution = 0;
  let recurrent = 0;
  for (const mixer of architecture.layerSpecs.flatMap(mixersOf)) {
    if (mixer.kind !== "recurrent") {
      continue;
    }
    convolution += mixer.convolutionStateElements;
    recurrent += mixer.recurrentStateElements;
  }
  return { convolution, recurrent };
}

/** Every layer on one GPU of a tensor-parallel group. */
export function layerCaches(
  architecture: ModelArchitecture,
  dtype: KvCacheDtype,
  tensorParallel: number,
): readonly LayerCache[] {
  const valueBytes = kvValueBytes(architecture, dtype);
  return architecture.layerSpecs.map((layer) => {
    const caches = mixersOf(layer).map((mixer) => mixerCache(mixer, architecture, valueBytes, tensorParallel));
    return {
      bytesPerToken: caches.reduce((total, cache) => total + cache.bytesPerToken, 0),
      scope: caches.find((cache) => cache.bytesPerToken > 0)?.scope ?? FULL_SCOPE,
      stateBytes: caches.reduce((total, cache) => total + cache.stateBytes, 0),
      ...(caches.some(({ paged }) => paged !== undefined) && { paged: equalPages(caches) }),
    };
  });
}

/** Caches of a layer of which some have own pages: the others take a page's worth of tokens. */
function equalPages(caches: readonly LayerCache[]): readonly PagedCache[] {
  const stated = caches.flatMap(({ paged }) => paged ?? []);
  const largest = Math.max(...stated.map(({ pageBytes }) => pageBytes));
  return [
    ...stated,
    ...caches
      .filter(({ bytesPerToken, paged }) => bytesPerToken > 0 && paged === undefined)
      .map(({ scope, bytesPerToken }) => {
        const blockTokens = Math.max(1, Math.floor(largest / bytesPerToken));
        return { scope, blockTokens, pageBytes: blockTokens * bytesPerToken };
      }),
  ];
}

/** State beyond a GPU's even share: groups are never split. */
function repeatedElements(grouping: HeadGrouping | undefined, tensorParallel: number): number {
  if (grouping === undefined) {
    return 0;
  }
  const whole = Math.max(1 / grouping.groups, 1 / tensorParallel);
  return grouping.convolutionStateElements * (whole - 1 / tensorParallel);
}

function kvValueBytes(architecture: ModelArchitecture, dtype: KvCacheDtype): number {
  if (dtype === "fp8") {
    return 1;
  }
  return dtype === "bfloat16" ? 2 : DTYPE_BYTES[architecture.checkpointDtype];
}

function mixerCache(
  mixer: Mixer,
  architecture: ModelArchitecture,
  valueBytes: number,
  tensorParallel: number,
): LayerCache {
  switch (mixer.kind) {
    case "attention": {
      const kvHeads = Math.max(1, mixer.kvHeads / tensorParallel);
      const keysAndValues = kvHeads * (mixer.headDim + (mixer.valueHeadDim ?? mixer.headDim)) * valueBytes;
      // on every GPU, bfloat16 whatever the cache's dtype (vLLM 0.33.0:
      // minimax_m3/common/indexer.py, attention.py)
      const indexer = (mixer.indexer?.headDim ?? 0) * DTYPE_BYTES.bfloat16;
      return {
        bytesPerToken: mixer.ownsCache ? keysAndValues + indexer : 0,
        scope: mixer.scope,
        stateBytes: 0,
      };
    }
    case "latent": {
      if (mixer.caches === "heads") {
        const perHead = 2 * (mixer.nopeHeadDim + mixer.ropeHeadDim);
        return {
          bytesPerToken: (mixer.heads / tensorParallel) * perHead * valueBytes,
          scope: FULL_SCOPE,
          stateBytes: 0,
        };
      }
      const latent = (mixer.kvLoraRank + mixer.ropeHeadDim) * valueBytes;
      // indexer key: one byte per value and a 4-byte scale per 128 values (DeepSeek-V3.2)
      const indexer =
        mixer.indexer === undefined ? 0 : mixer.indexer.headDim + Math.ceil(mixer.indexer.headDim / 128) * 4;
      return { bytesPerToken: latent + indexer, scope: FULL_SCOPE, stateBytes: 0 };
    }
    case "compressed": {
      const paged = compressedCaches(mixer);
      const growing = paged.filter(({ scope }) => scope.kind === "full");
      const bytesPerToken = growing.reduce((total, cache) => total + cache.pageBytes / cache.blockTokens, 0);
      return { bytesPerToken, scope: FULL_SCOPE, stateBytes: 0, paged };
    }
    case "windowed-convolution": {
      const { windowTokens, kvHeads, valuesPerHead } = mixer;
      const tokenBytes = (kvHeads / tensorParallel) * valuesPerHead * DTYPE_BYTES[architecture.checkpointDtype];
      const scope: AttentionScope = { kind: "sliding", windowTokens };
      const paged = [{ scope, blockTokens: windowTokens, pageBytes: windowTokens * tokenBytes }];
      return { bytesPerToken: 0, scope: FULL_SCOPE, stateBytes: 0, paged };
    }
    case "recurrent": {
      const base = architecture.checkpointDtype;
      const recurrent: Dtype = architecture.recurrentStateDtype ?? base;
      const split =
        mixer.convolutionStateElements * DTYPE_BYTES[base] + mixer.recurrentStateElements * DTYPE_BYTES[recurrent];
      const repeated = repeatedElements(mixer.grouping, tensorParallel) * DTYPE_BYTES[base];
      return { bytesPerToken: 0, scope: FULL_SCOPE, stateBytes: split / tensorParallel + repeated };
    }
    case "none":
      return { bytesPerToken: 0, scope: FULL_SCOPE, stateBytes: 0 };
  }
}
