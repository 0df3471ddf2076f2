/**
 * Memory of vLLM besides weights, KV cache and CUDA graphs: profiling peak, and memory outside
 * PyTorch. Formulas follow the profiling code; factors are fitted to the logs in versions.json.
 */

import { BYTES_PER_GIB } from "../../../names/units";
import type { PipelineStage } from "../../../planner/memory/pipeline";
import { DTYPE_BYTES, type ModelArchitecture } from "../../../planner/model/architecture";
import { expertWorkspaceBytes } from "./expert-workspace";
import { type ModelRunner, PENALTY_BYTES_PER_LOGIT } from "./model-runner";
import type { SchedulerLimits } from "./scheduler-defaults";
import { type Sampler, samplerBytesPerLogit, type VllmConstants } from "./versions";

export interface ProfilingRun {
  readonly architecture: ModelArchitecture;
  readonly stage: PipelineStage;
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  /** Experts are whole on their GPU. */
  readonly expertParallel: boolean;
  readonly limits: SchedulerLimits;
  readonly constants: VllmConstants;
  readonly runner: ModelRunner;
  readonly sampler: Sampler;
  /** Sampler of the second runner, after cache allocation. */
  readonly warmUpSampler: Sampler;
  /** Expert kernels with separate buffers: all but MXFP4. */
  readonly modularExperts: boolean;
  /** FP8 experts on cards that DeepGEMM supports. */
  readonly deepGemmExperts: boolean;
}

/** Fitted to 46 start-ups of 0.19 on H100; the largest residual is 0.1 GiB for text models. */
const fitted = {
  /** Buffers of every profiling run, bytes. */
  baseBytes: 0.036 * BYTES_PER_GIB,
  /** Hidden-state buffers of a batch during sampling. */
  hiddenStates: 1.41,
  /** Feed-forward peak over its largest tensors. */
  prefillPeak: 1.2,
  /** Encoder inputs and outputs of multimodal models, bytes. */
  multimodalBytes: 0.17 * BYTES_PER_GIB,
} as const;

/** Peak activation bytes on one GPU of a stage. */
export function activationBytes(run: ProfilingRun): number {
  const { architecture, stage, limits, pipelineParallel } = run;
  const valueBytes = DTYPE_BYTES[architecture.checkpointDtype];
  const hiddenBytes = limits.maxNumBatchedTokens * architecture.hiddenSize * valueBytes;
  const workspace = expertWorkspaceBytes(run);
  const prefill = fitted.prefillPeak * prefillBytes(run) + workspace;
  const logits = samplingBytes(run);
  const kept = run.constants.buffersStayWhileSampling
    ? fitted.baseBytes + fitted.hiddenStates * hiddenBytes + workspace
    : 0;
  const sampling = logits > 0 ? logits + kept : 0;
  const penalties = run.constants.penaltiesInPool ? penaltyBytes(run) : 0;
  const betweenStages = pipelineParallel > 1 ? 2 * hiddenBytes : 0;
  const multimodal = architecture.vision !== undefined && stage.isFirst ? fitted.multimodalBytes : 0;
  return Math.max(prefill, sampling) + penalties + betweenStages + multimodal;
}

/** Sampling bytes for the maximum sequences on one GPU of a stage. */
export function samplingBytes(run: ProfilingRun): number {
  return sampledLogits(run) * (samplerBytesPerLogit[run.sampler] + DTYPE_BYTES[run.architecture.checkpointDtype]);
}

/**
 * Sampling bytes after cache allocation on one GPU of a stage. The first runner repeats the
 * profiling run. The second samples with all parameters set, for two-token requests that fill a
 * batch (warmup_kernels in v1/worker/gpu/warmup.py of 0.22.0 to 0.33.0; before 0.33.0 its profiling
 * run set none): in FlashInfer's buffers, or Triton's on AMD.
 */
export function warmUpBytes(run: ProfilingRun): number {
  if (run.runner === "v1") {
    return samplingBytes(run);
  }
  const { maxNumSeqs, maxNumBatchedTokens } = run.limits;
  const limits = { ...run.limits, maxNumSeqs: Math.min(maxNumSeqs, Math.floor(maxNumBatchedTokens / 2)) };
  return samplingBytes({ ...run, limits, sampler: run.warmUpSampler });
}

/** Penalty tables of the second runner, bytes on one GPU of a stage. */
export function penaltyBytes(run: ProfilingRun): number {
  return run.runner === "v2" ? sampledLogits(run) * PENALTY_BYTES_PER_LOGIT : 0;
}

/** Logits of the profiling run: one vocabulary row per sequence, on the stage with the head. */
function sampledLogits({ architecture, stage, limits }: ProfilingRun): number {
  return stage.isLast && architecture.kind === "decoder" ? limits.maxNumSeqs * architecture.vocabSize : 0;
}

/**
 * Bytes outside PyTorch's allocator: collective communication buffers, library handles.
 * @param linked whether NVLink joins the cards
 */
export function nonTorchBytes({ constants, tensorParallel, pipelineParallel }: ProfilingRun, linked: boolean): number {
  const memory = linked ? constants.nonTorchGiB.linked : constants.nonTorchGiB.other;
  const alone = pipelineParallel >= 2 ? memory.stages : memory[1];
  const gib = tensorParallel >= 4 ? memory[4] : tensorParallel >= 2 ? memory[2] : alone;
  return gib * BYTES_PER_GIB;
}

/** Largest tensors in a feed-forward pass over a full batch. */
function prefillBytes({ architecture, stage, limits, tensorParallel }: ProfilingRun): number {
  const widths = architecture.layerSpecs.slice(stage.firstLayer, stage.endLayer).map(({ feedForward }) => {
    if (feedForward.kind === "dense") {
      return (feedForward.gated ? 3 : 2) * feedForward.width;
    }
    return feedForward.kind === "experts" ? 3 * (feedForward.shared?.width ?? 0) : 0;
  });
  const perToken = Math.max(0, ...widths) / tensorParallel + 2 * architecture.hiddenSize;
  return limits.maxNumBatchedTokens * perToken * DTYPE_BYTES[architecture.checkpointDtype];
}
