import type { Coefficients } from "./constants";
import type { LinkSpeed, ReplicaSetup } from "./types";

/** After attention, and after the feed-forward block. */
const REDUCTIONS_PER_LAYER = 2;
const ACTIVATION_BYTES = 2;

/**
 * Milliseconds for a pass of `tokens` through all layers: all-reduces of tensor parallelism,
 * all-to-alls of experts over several attention groups, and hand-over between pipeline stages.
 */
export function communicationMs(setup: ReplicaSetup, tokens: number): number {
  return reduceMs(setup, tokens) + expertExchangeMs(setup, tokens) + stageMs(setup, tokens);
}

function reduceMs({ work, link, tensorParallel, coefficients }: ReplicaSetup, tokens: number): number {
  if (tensorParallel === 1 || link === undefined) {
    return 0;
  }
  const bytes = tokens * work.hiddenSize * ACTIVATION_BYTES * ((2 * (tensorParallel - 1)) / tensorParallel);
  const perReduction = coefficients.allReduceUs / 1e3 + transferMs(bytes, link, coefficients);
  return REDUCTIONS_PER_LAYER * work.layers * perReduction;
}

function expertExchangeMs(setup: ReplicaSetup, tokens: number): number {
  const { work, link, attentionDataParallel = 1, coefficients } = setup;
  if (attentionDataParallel === 1 || link === undefined || work.experts === undefined) {
    return 0;
  }
  // To the experts and back, for experts on other GPUs.
  const elsewhere = work.experts.perToken * (1 - 1 / attentionDataParallel);
  const bytes =
    (tokens / attentionDataParallel) * Math.min(elsewhere, attentionDataParallel) * work.hiddenSize * ACTIVATION_BYTES;
  const perExchange = coefficients.allReduceUs / 1e3 + transferMs(bytes, link, coefficients);
  return 2 * work.moeLayers * perExchange;
}

function stageMs({ work, link, nodeLink, pipelineParallel, coefficients }: ReplicaSetup, tokens: number): number {
  const between = nodeLink ?? link;
  if (pipelineParallel === 1 || between === undefined) {
    return 0;
  }
  const bytes = tokens * work.hiddenSize * ACTIVATION_BYTES;
  const perHop = coefficients.allReduceUs / 1e3 + transferMs(bytes, between, coefficients);
  return (pipelineParallel - 1) * perHop;
}

/**
 * The faster of two ways, as engines choose: own kernels for small, vendor libraries for large
 * transfers.
 */
function transferMs(bytes: number, { gbs }: LinkSpeed, { linkBandwidth, bulkBandwidth, bulkUs }: Coefficients): number {
  const bytesPerMs = gbs * 1e6;
  return Math.min(bytes / (bytesPerMs * linkBandwidth), bulkUs / 1e3 + bytes / (bytesPerMs * bulkBandwidth));
}
