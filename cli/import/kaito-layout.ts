/**
 * How KAITO runs a preset with vLLM: it counts the nodes of a replica by the model's size, whatever the
 * workspace asks for. Source: pkg/workspace/estimator/nodesestimator/estimator.go and
 * pkg/model/interface.go (configureParallelism) of kaito-project/kaito, at the commit of schemas/sources.json.
 */
import { gpuOfCard } from "../../catalog/shapes";
import { BYTES_PER_GIB } from "../../names/units";
import { kvCacheBytesPerToken } from "../../planner/memory/kv-cache";
import { weightBytes } from "../../planner/model/parameters";
import { readCatalogueModel } from "../../stacks/architectures";
import type { MachineDraft } from "./draft";
import { weightsNamed } from "./weights-name";

/** Part of GPU memory that vLLM gets; some cards have their own. */
const UTILIZATION = 0.84;
const UTILIZATION_OF_CARDS: Readonly<Record<string, number | undefined>> = { a10: 0.82 };

/** GiB of each GPU that hold no weights, and what grows with a GPU's part of them. */
const OVERHEAD_GIB = 2.3;
const OVERHEAD_OF_WEIGHTS = 0.05;
/** Weights in memory over those in files. */
const LOADED = 1.02;
/** Length that nodes are counted for where the configuration states none. */
const COUNTED_TOKENS = 2048;

/** GPUs of one replica. */
export interface KaitoLayout {
  readonly tensorParallel: number;
  readonly nodes: number;
  /** Copies of the model in one pod, each on a GPU of its own. */
  readonly copies: number;
}

export function kaitoUtilization({ card = "" }: MachineDraft): number {
  return UTILIZATION_OF_CARDS[card] ?? UTILIZATION;
}

/**
 * @param weights name of the model's repository.
 * @param gpus of a node.
 * @param tokens that the configuration states.
 * @returns undefined where the model or its card is not in the catalogue.
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

/** Of a card, or of a slice: the figure that their names have. */
function gpuMemoryGiB({ card, mig }: MachineDraft): number | undefined {
  const [, slice] = /\.(\d+)gb/.exec(mig ?? "") ?? [];
  if (slice !== undefined) {
    return Number(slice);
  }
  return gpuOfCard(card)?.memoryGB;
}
