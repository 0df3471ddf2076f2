/**
 * Caches of one layer of compressed attention (DeepSeek-V4), each with its own page size,
 * replicated on every GPU. vLLM keeps vectors as "fp8_ds_mla": 8-bit values, 16-bit rotary part,
 * one scale per 64 values. Source: vLLM 0.33.0, models/deepseek_v4/attention.py and compressor.py,
 * v1/attention/backends/mla/sparse_swa.py.
 */

import { roundUp } from "../../names/units";
import type { AttentionScope, CompressedAttention } from "../model/architecture";

export interface PagedCache {
  readonly scope: AttentionScope;
  /** Tokens per page. */
  readonly blockTokens: number;
  /** Padded. */
  readonly pageBytes: number;
}

/** Tokens per page of vectors, indexer keys (the back end's preferred block size), and window. */
const VECTOR_BLOCK_TOKENS = 256;
const WINDOW_BLOCK_TOKENS = 64;

/** Tokens per page of a compressor's state: 4 with the lower rate, else 8. */
const STATE_BLOCK_TOKENS = { overlapping: 4, plain: 8 } as const;

/** Pages are multiples of the stride of FlashMLA's decoding kernel. */
const PAGE_MULTIPLE = 576;

const FLOAT32_BYTES = 4;

/**
 * Values per scale: of a vector, with one byte each and one of padding; of an indexer key, with
 * four bytes.
 */
const VECTOR_SCALE_GROUP = 64;
const INDEXER_SCALE_GROUP = 128;

export function compressedCaches(attention: CompressedAttention): readonly PagedCache[] {
  const { headDim, ropeHeadDim, windowTokens, compression, indexer } = attention;
  const plain = headDim - ropeHeadDim;
  const vectorBytes = plain + 2 * ropeHeadDim + Math.ceil(plain / VECTOR_SCALE_GROUP) + 1;
  const window: AttentionScope = { kind: "sliding", windowTokens };
  const own = page(window, WINDOW_BLOCK_TOKENS, WINDOW_BLOCK_TOKENS * vectorBytes);
  if (compression === undefined) {
    return [own];
  }
  const compressed = compressor(compression, headDim, vectorBytes);
  if (indexer === undefined) {
    return [...compressed, own];
  }
  const keyBytes = indexer.headDim + Math.ceil(indexer.headDim / INDEXER_SCALE_GROUP) * FLOAT32_BYTES;
  return [...compressed, own, ...compressor(compression, indexer.headDim, keyBytes)];
}

/** A compressor's vectors, and its float32 sums and scores for tokens not yet compressed. */
function compressor(
  { rate, overlaps }: NonNullable<CompressedAttention["compression"]>,
  width: number,
  vectorBytes: number,
): readonly PagedCache[] {
  const covered = overlaps ? 2 : 1;
  const blockTokens = overlaps ? STATE_BLOCK_TOKENS.overlapping : STATE_BLOCK_TOKENS.plain;
  const stateBytes = 2 * covered * width * FLOAT32_BYTES;
  return [
    page({ kind: "full" }, VECTOR_BLOCK_TOKENS, Math.max(1, Math.floor(VECTOR_BLOCK_TOKENS / rate)) * vectorBytes),
    page({ kind: "sliding", windowTokens: covered * rate }, blockTokens, blockTokens * stateBytes),
  ];
}

function page(scope: AttentionScope, blockTokens: number, bytes: number): PagedCache {
  return { scope, blockTokens, pageBytes: roundUp(bytes, PAGE_MULTIPLE) };
}
