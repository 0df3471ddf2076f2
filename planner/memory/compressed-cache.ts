/**
 * The caches of one layer of compressed attention (DeepSeek-V4), each with pages of its own size. All are replicated on
 * every GPU. vLLM keeps vectors as "fp8_ds_mla": 8-bit values, 16-bit rotary part, one scale for 64 values.
 * Source: vLLM 0.33.0, models/deepseek_v4/attention.py and compressor.py, v1/attention/backends/mla/sparse_swa.py.
 */

import { roundUp } from "../../names/units";
import type { AttentionScope, CompressedAttention } from "../model/architecture";

/** One of several caches of a layer. */
export interface PagedCache {
  readonly scope: AttentionScope;
  /** Tokens that a page covers. */
  readonly blockTokens: number;
  /** Bytes of a page, padded. */
  readonly pageBytes: number;
}

/** Tokens of a page: of vectors and indexer keys (preferred block size of the back end), and of the window. */
const VECTOR_BLOCK_TOKENS = 256;
const WINDOW_BLOCK_TOKENS = 64;

/** Tokens of a page of a compressor's state: 4 with the lower rate, else 8. */
const STATE_BLOCK_TOKENS = { overlapping: 4, plain: 8 } as const;

/** Pages are a multiple of what FlashMLA's decoding kernel strides by. */
const PAGE_MULTIPLE = 576;

const FLOAT32_BYTES = 4;

/** Values that share a scale: of a vector, with one byte each and one of padding; of an indexer key, with four bytes. */
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

/** The vectors of a compressor, and the sums and scores it keeps in float32 for tokens not yet compressed. */
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
