/**
 * Memory of a model under TGI: 16-bit weights, one test prefill of the whole context, and 95 % of
 * the remaining memory for the cache (server/text_generation_server: models/flash_causal_lm.py,
 * models/globals.py of 3.0.1).
 */
import { toGiB } from "../../names/units";
import { layerCaches } from "../../planner/memory/kv-cache";
import type { MemoryEstimate } from "../../planner/memory/types";
import { uncertaintyOf } from "../../planner/memory/uncertainty";
import { judge, type StageNeed } from "../../planner/memory/verdict";
import type { ModelArchitecture } from "../../planner/model/architecture";
import { weightBytes } from "../../planner/model/parameters";
import type { MemoryRequest } from "../memory-request";
import errorTerms from "./error-terms.json";

const CONSTANTS = {
  version: "3.0.1",
  /**
   * TGI_WIGGLE_ROOM: share of free memory for weights, prefill and cache. CUDA graphs use the rest.
   */
  share: 0.95,
  /** CUDA context and library handles per GPU, GiB. */
  contextGiB: 0.5,
  /** NCCL buffers if several GPUs share the model, GiB. */
  collectiveGiB: 0.5,
  /** Bytes of a weight, activation, key or value. */
  valueBytes: 2,
} as const;

/**
 * One process per GPU of a node, each with its part of every layer. All tokens are kept, also with
 * windows.
 */
export function estimateTgi(request: MemoryRequest): MemoryEstimate {
  const { architecture, contextTokens, concurrency, tensorParallel, gpuMemoryGiB, utilization = 1 } = request;
  const weights = toGiB(weightBytes(architecture).servedBytes / tensorParallel);
  const perToken = layerCaches(architecture, "auto", tensorParallel).reduce(
    (sum, layer) => sum + layer.bytesPerToken,
    0,
  );
  const oneRequestGiB = toGiB(perToken * contextTokens);
  const activation = toGiB(prefillBytes(architecture, contextTokens, tensorParallel));
  const nonTorch = CONSTANTS.contextGiB + (tensorParallel > 1 ? CONSTANTS.collectiveGiB : 0);
  const budgetGiB = gpuMemoryGiB * utilization * CONSTANTS.share;
  const kvPoolGiB = Math.max(0, budgetGiB - weights - activation - nonTorch);
  const need: StageNeed = {
    stage: 0,
    layers: architecture.layers,
    parts: { weights, kvCache: oneRequestGiB * concurrency, activation, nonTorch, graphs: 0 },
    oneRequestGiB,
    budgetGiB,
    kvPoolGiB,
  };
  const evidence = { traits: {}, names: { version: `TGI ${request.engine.version}` } };
  return {
    ...judge([need], uncertaintyOf(errorTerms, evidence)),
    kvPoolGiB,
    utilization,
    kvTokens: perToken > 0 ? Math.floor(kvPoolGiB / toGiB(perToken)) : 0,
    requiredTokens: contextTokens * concurrency,
    requestCapacity: kvPoolGiB / oneRequestGiB,
    basis: `computed from the code of TGI ${CONSTANTS.version}; no start-up of it was measured`,
    notes: [],
  };
}

/**
 * Prefill peak: a layer's hidden states, queries, keys, values, and both halves of its feed-forward
 * block.
 */
function prefillBytes(architecture: ModelArchitecture, tokens: number, tensorParallel: number): number {
  const { hiddenSize, heads, kvHeads, headDim } = architecture;
  const widest = Math.max(
    ...architecture.layerSpecs.map(({ feedForward }) => {
      if (feedForward.kind === "dense") {
        return feedForward.width;
      }
      return feedForward.kind === "experts" ? feedForward.width * feedForward.expertsPerToken : 0;
    }),
  );
  const split = (3 * widest + (heads + 2 * kvHeads) * headDim) / tensorParallel;
  return tokens * CONSTANTS.valueBytes * (4 * hiddenSize + split);
}
