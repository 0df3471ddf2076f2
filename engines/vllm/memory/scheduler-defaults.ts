/** Default scheduler limits of vLLM, which determine activation memory. */

import type { BatchLimits } from "../../engine";
import { seenMemoryGiB, type VllmRequest } from "./request";
import { type VllmConstants, vllmConstants } from "./versions";

export interface SchedulerLimits {
  /** --max-num-seqs */
  readonly maxNumSeqs: number;
  /** --max-num-batched-tokens */
  readonly maxNumBatchedTokens: number;
}

/**
 * API server defaults by card: vllm/engine/arg_utils.py (read in 0.8.5, 0.11.0 and 0.19.0 to
 * 0.33.0). The row from 160 GiB exists since 0.28.0 (pull request 51726); before, the row from 70
 * GiB applied.
 * @param gpuMemoryGiB memory of the card as the driver reports it
 */
export function schedulerDefaults(
  gpuMemoryGiB: number,
  { batchTokensFrom160GiB }: Pick<VllmConstants, "batchTokensFrom160GiB">,
  gpuModel?: string,
): SchedulerLimits {
  const slow = /a100|gb10/i.test(gpuModel ?? "");
  if (gpuMemoryGiB >= 160) {
    return { maxNumSeqs: 1024, maxNumBatchedTokens: batchTokensFrom160GiB };
  }
  if (gpuMemoryGiB >= 70 && !slow) {
    return { maxNumSeqs: 1024, maxNumBatchedTokens: 8192 };
  }
  return { maxNumSeqs: 256, maxNumBatchedTokens: 2048 };
}

/** On CPUs (vllm/engine/arg_utils.py of 0.32.0 and 0.33.0), for one computing process. */
const CPU_DEFAULTS: SchedulerLimits = { maxNumSeqs: 128, maxNumBatchedTokens: 2048 };

/** Encoders process a prompt in one pass; generative models in chunks by default. */
export function takesPiecesOfPrompts({ architecture, vllm }: Pick<VllmRequest, "architecture" | "vllm">): boolean {
  return vllm?.chunkedPrefill ?? architecture.kind === "decoder";
}

/**
 * Effective limits: requested ones and dependent defaults
 * (_set_default_max_num_seqs_and_batched_tokens_args in vllm/engine/arg_utils.py of 0.11.2 to
 * 0.33.0).
 */
export function schedulerLimits(
  request: Pick<
    VllmRequest,
    "architecture" | "contextTokens" | "device" | "gpuMemoryGiB" | "cardMemoryGiB" | "gpuModel" | "vllm"
  >,
  constants: Pick<VllmConstants, "batchTokensFrom160GiB">,
): SchedulerLimits {
  const { contextTokens, device, gpuModel, vllm } = request;
  const defaults = device === "cpu" ? CPU_DEFAULTS : schedulerDefaults(seenMemoryGiB(request), constants, gpuModel);
  const unset = takesPiecesOfPrompts(request)
    ? defaults.maxNumBatchedTokens
    : Math.max(contextTokens, defaults.maxNumBatchedTokens);
  const maxNumBatchedTokens =
    vllm?.maxNumBatchedTokens ?? Math.min((vllm?.maxNumSeqs ?? defaults.maxNumSeqs) * contextTokens, unset);
  return { maxNumBatchedTokens, maxNumSeqs: vllm?.maxNumSeqs ?? Math.min(defaults.maxNumSeqs, maxNumBatchedTokens) };
}

/** Same in the form common to all engines. */
export function vllmBatchLimits(request: VllmRequest): BatchLimits {
  const { constants } = vllmConstants(request.engine.version);
  const { maxNumSeqs, maxNumBatchedTokens } = schedulerLimits(request, constants);
  return { sequences: maxNumSeqs, promptTokens: maxNumBatchedTokens };
}
