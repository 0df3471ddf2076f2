/** Number and size of CUDA graphs, and whether the KV cache includes them. */

import { BYTES_PER_GIB } from "../../../names/units";
import type { PipelineStage } from "../../../planner/memory/pipeline";
import type { ModelArchitecture } from "../../../planner/model/architecture";
import type { CardTraits } from "./cards";
import type { ModelRunner } from "./model-runner";
import type { SchedulerLimits } from "./scheduler-defaults";
import type { VllmConstants } from "./versions";

export interface CaptureSizes {
  /** Largest batch. */
  readonly largest: number;
  /** Captures pure decoding batches whole (FULL), in addition to mixed ones piecewise. */
  readonly decoding: boolean;
  /** Captures no batch above twice max-num-seqs. */
  readonly followsSequences: boolean;
  /** From batches of 256 on. */
  readonly step: number;
}

export interface GraphCapture {
  readonly architecture: ModelArchitecture;
  readonly stage: PipelineStage;
  readonly limits: SchedulerLimits;
  readonly sizes: CaptureSizes;
}

/**
 * Graphs hold kernel parameters and share working memory. Latent attention runs about twice the
 * kernels per layer. Fitted to 49 start-ups of 0.19.0 on H100: to vLLM's estimates (off by 0.10 /
 * 0.29 / 0.83 GiB: median, p90, largest) and to actual memory (0.08 / 0.29 / 0.65). The first
 * runner measures two graphs of each kind and multiplies; the second measures all mixed batches and
 * two of decoding. Equal start-ups differ by up to 1 GiB: the second measured graph may need a new
 * 20 MiB allocator block. Three start-ups of 0.23.0 (test/fixtures/vllm-h100) estimated 0.48 to
 * 0.61 GiB less; the graphs of all seven then used 0.32 GiB less to 0.12 more.
 */
const PER_GRAPH = { baseGiB: 0.00334, perLayerGiB: 0.000159 } as const;

export function cudaGraphBytes({ architecture, stage, limits, sizes }: GraphCapture): number {
  if (architecture.kind === "encoder") {
    return 0;
  }
  const layers = architecture.layerSpecs.slice(stage.firstLayer, stage.endLayer);
  const latent = layers.filter(({ mixer }) => mixer.kind === "latent" || mixer.kind === "compressed").length;
  const each = PER_GRAPH.baseGiB + PER_GRAPH.perLayerGiB * (layers.length + latent);
  return each * capturedGraphs(limits, sizes) * BYTES_PER_GIB;
}

/**
 * Whether vLLM deducts its graph estimate from the KV cache; otherwise graphs exceed the
 * utilization.
 */
export function graphsInPool(
  { cudaGraphsInPool }: Pick<VllmConstants, "cudaGraphsInPool">,
  runner: ModelRunner,
  { vendor = "nvidia" }: Pick<CardTraits, "vendor">,
): boolean {
  return cudaGraphsInPool[runner].includes(vendor);
}

/**
 * Families whose vLLM class requests larger graphs (model_executor/models/config.py of 0.19.1 and
 * 0.33.0).
 */
const LARGEST_OF_FAMILY: Readonly<Record<string, number>> = { gpt_oss: 1024 };

/**
 * Captured sizes: FULL_AND_PIECEWISE, unless a back end cannot capture pure decoding
 * (_cudagraph_support in v1/attention/backends of 0.19.1 to 0.33.0). Of the automatic choices on
 * GPUs, only Triton's latent attention could not. It is chosen except on compute capability 9 and
 * 10 (_get_backend_priorities in platforms/cuda.py).
 */
export function captureSizes(
  {
    graphSizes: { decoding, ...sizes },
    largestGraph,
    tritonLatentDecodingGraphs,
  }: Pick<VllmConstants, "graphSizes" | "largestGraph" | "tritonLatentDecodingGraphs">,
  { family, layerSpecs }: Pick<ModelArchitecture, "family" | "layerSpecs">,
  { generation }: Pick<CardTraits, "generation">,
): CaptureSizes {
  const isDataCentreBlackwell = generation === 10;
  const onTriton =
    generation !== 9 && !isDataCentreBlackwell && layerSpecs.some(({ mixer }) => mixer.kind === "latent");
  return {
    largest: LARGEST_OF_FAMILY[family] ?? largestGraph[isDataCentreBlackwell ? "dataCentreBlackwell" : "other"],
    decoding: decoding && (tritonLatentDecodingGraphs || !onTriton),
    ...sizes,
  };
}

/**
 * Number of CUDA graphs: batches of 1, 2, 4, then every 8 to 256, then by the release's step; mixed
 * batches up to twice max-num-seqs, pure decoding up to max-num-seqs (_set_cudagraph_sizes in
 * config.py of 0.8.0 to 0.10.0, config/__init__.py of 0.10.2 and 0.11.0, config/vllm.py of 0.11.1
 * to 0.33.0).
 */
export function capturedGraphs({ maxNumSeqs, maxNumBatchedTokens }: SchedulerLimits, sizes: CaptureSizes): number {
  const { largest, decoding, followsSequences, step } = sizes;
  const mixed = Math.min(followsSequences ? 2 * maxNumSeqs : largest, largest, maxNumBatchedTokens);
  return batchSizes(mixed, step) + (decoding ? batchSizes(Math.min(maxNumSeqs, mixed), step) : 0);
}

function batchSizes(largest: number, step: number): number {
  const small = [1, 2, 4].filter((size) => size <= largest).length;
  return small + Math.floor(Math.min(largest, 255) / 8) + (largest >= 256 ? Math.floor((largest - 256) / step) + 1 : 0);
}
