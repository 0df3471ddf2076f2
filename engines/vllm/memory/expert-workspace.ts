/** Buffers of expert kernels in a profiling run; sources: versions.json (expert buffers). */
import { DTYPE_BYTES, type MixtureOfExperts } from "../../../planner/model/architecture";
import type { ProfilingRun } from "./activation";

/** DeepGEMM, which uses modular kernel buffers, leaves narrower experts to Triton. */
const DEEP_GEMM_ABOVE_WIDTH = 512;

/**
 * The two buffers of vLLM's fused experts, per routed token. Outputs of both matrices share the
 * first. The second holds inputs of the second matrix; a modular kernel sizes it for layer outputs
 * too, and for all chunks of a split batch.
 */
export function expertWorkspaceBytes({ architecture, stage, limits, modularExperts, ...run }: ProfilingRun): number {
  const experts = architecture.layerSpecs
    .slice(stage.firstLayer, stage.endLayer)
    .map((layer) => layer.feedForward)
    .find((block): block is MixtureOfExperts => block.kind === "experts");
  if (experts === undefined || !modularExperts) {
    return 0;
  }
  const width = experts.width / (run.expertParallel ? 1 : run.tensorParallel);
  const inner = experts.latentSize ?? architecture.hiddenSize;
  const isModular = run.constants.expertsInModularKernel || (run.deepGemmExperts && width > DEEP_GEMM_ABOVE_WIDTH);
  const perRoutedToken =
    Math.max((experts.gated ? 2 : 1) * width, inner) + (isModular ? Math.max(width, inner) : width);
  const { maxNumBatchedTokens } = limits;
  const chunk = Math.min(maxNumBatchedTokens, run.constants.expertChunkTokens ?? Number.POSITIVE_INFINITY);
  const outputs = isModular && chunk < maxNumBatchedTokens ? maxNumBatchedTokens * inner : 0;
  const values = chunk * experts.expertsPerToken * perRoutedToken + outputs;
  return values * DTYPE_BYTES[architecture.checkpointDtype];
}
