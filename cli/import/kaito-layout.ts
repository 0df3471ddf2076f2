/**
 * KAITO counts a replica's nodes by model size, whatever the workspace requests. Source:
 * pkg/workspace/estimator/nodesestimator/estimator.go and pkg/model/interface.go
 * (configureParallelism) of kaito-project/kaito, at the commit of schemas/sources.json.
 */
import { gpuOfCard } from "../../catalog/shapes";
import { BYTES_PER_GIB } from "../../names/units";
import { kvCacheBytesPerToken } from "../../planner/memory/kv-cache";
import { weightBytes } from "../../planner/model/parameters";
import { readCatalogueModel } from "../../stacks/architectures";
import type { MachineDraft } from "./draft";
import { weightsNamed } from "./weights-name";

/** vLLM's share of GPU memory; some cards differ. */
const UTILIZATION = 0.84;
const UTILIZATION_OF_CARDS: Readonly<Record<string, number | undefined>> = { a10: 0.82 };

/** GiB of each GPU without weights, and growth with its share. */
const OVERHEAD_GIB = 2.3;
const OVERHEAD_OF_WEIGHTS = 0.05;
/** Weights in memory relative to files. */
const LOADED = 1.02;
/** Default length for the count of nodes. */
const COUNTED_TOKENS = 2048;

export interface KaitoLayout {
  readonly tensorParallel: number;
  readonly nodes: number;
  /** Copies in one pod, each on its own GPU. */
  readonly copies: number;
}

export function kaitoUtilization({ card = "" }: MachineDraft): number {
  return UTILIZATION_OF_CARDS[card] ?? UTILIZATION;
}

/**
 * @param weights name of the repository.
 * @param gpus of a node.
 * @param tokens stated by the configuration.
 * @returns undefined for an unknown model or card.
 */
export function kaitoLayout(
  weights: string,
  machine: MachineDraft,
  gpus: number,
  tokens = COUNTED_TOKENS,
): KaitoLayout | undefined {
  const entry = weightsNamed(weights)?.entry;
  const memoryGiB = gpuMemoryGiB(machine);
  if (entry === undefined || memoryGiB === undefined) {
    return undefined;
  }
  const architecture = readCatalogueModel(entry);
  const filesGiB = weightBytes(architecture).checkpointBytes / BYTES_PER_GIB;
  const cacheGiB = (tokens * kvCacheBytesPerToken(architecture)) / gpus / BYTES_PER_GIB;
  const forWeights = (memoryGiB * UTILIZATION - OVERHEAD_GIB - cacheGiB) / (1 + OVERHEAD_OF_WEIGHTS);
  if (forWeights <= 0) {
    return undefined;
  }
  const nodes = Math.ceil((Math.floor((filesGiB * LOADED) / forWeights) + 1) / gpus);
  const fitsOne = nodes === 1 && gpus > 1 && filesGiB * 2 < memoryGiB;
  return { tensorParallel: fitsOne ? 1 : gpus, nodes, copies: fitsOne ? gpus : 1 };
}

/** By the name of card or slice. */
function gpuMemoryGiB({ card, mig }: MachineDraft): number | undefined {
  const [, slice] = /\.(\d+)gb/.exec(mig ?? "") ?? [];
  if (slice !== undefined) {
    return Number(slice);
  }
  return gpuOfCard(card)?.memoryGB;
}
