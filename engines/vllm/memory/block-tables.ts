/**
 * Page tables for max-num-seqs requests of the longest context, a row per cache group, and buffers
 * of sparse attention back ends, a row per batch token. Allocated after the cache, outside its
 * memory. Short pages (4 tokens for states of DeepSeek-V4's compressors) make them large. Source:
 * v1/worker/block_table.py and gpu_input_batch.py of 0.9.1 to 0.33.0, v1/worker/gpu/block_table.py
 * of 0.25.0, 0.29.0 and 0.33.0; models/deepseek_v4/sparse_mla.py and
 * v1/attention/backends/mla/indexer.py of the same three.
 */
import { roundUp } from "../../../names/units";
import type { ModelArchitecture } from "../../../planner/model/architecture";
import type { KvLayout } from "./kv-groups";
import type { ModelRunner } from "./model-runner";
import type { SchedulerLimits } from "./scheduler-defaults";

export interface TableNeed {
  readonly layout: KvLayout;
  readonly layers: ModelArchitecture["layerSpecs"];
  readonly limits: SchedulerLimits;
  readonly runner: ModelRunner;
  readonly contextTokens: number;
}

const ENTRY_BYTES = 4;

/** The second runner has one that requests write, and one that a step reads. */
const COPIES: Readonly<Record<ModelRunner, number>> = { v1: 1, v2: 2 };

/**
 * From this rate on every compressed vector is attended, with an index list: for prompts and for
 * decoding.
 */
const LISTED = { rate: 128, lists: 2, multiple: 128 } as const;

/** Tokens per page of indexer keys. */
const INDEXER_PAGE_TOKENS = { compressed: 256, latent: 64 } as const;

/** Bytes on one GPU. */
export function tableBytes({ layout, layers, limits, runner, contextTokens }: TableNeed): number {
  const pages = layout.groups.reduce((sum, { blockTokens }) => sum + Math.ceil(contextTokens / blockTokens), 0);
  const ofRequests = limits.maxNumSeqs * pages * COPIES[runner];
  const ofTokens = limits.maxNumBatchedTokens * (listedVectors(layers, contextTokens) + indexed(layers, contextTokens));
  return ENTRY_BYTES * (ofRequests + ofTokens);
}

function listedVectors(layers: TableNeed["layers"], tokens: number): number {
  const isListed = layers.some(({ mixer }) => mixer.kind === "compressed" && mixer.compression?.rate === LISTED.rate);
  return isListed ? LISTED.lists * roundUp(Math.ceil(tokens / LISTED.rate), LISTED.multiple) : 0;
}

function indexed(layers: TableNeed["layers"], tokens: number): number {
  const kinds = layers.flatMap(({ mixer }) =>
    (mixer.kind === "compressed" || mixer.kind === "latent") && mixer.indexer !== undefined ? [mixer.kind] : [],
  );
  const [kind] = kinds;
  return kind === undefined ? 0 : Math.ceil(tokens / INDEXER_PAGE_TOKENS[kind]);
}
