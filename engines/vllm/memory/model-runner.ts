/**
 * vLLM's two model runners. The second took over family by family from 0.22.0 on, and profiles differently: it counts no
 * CUDA graphs at first, samples in fewer buffers, and keeps tables for penalties. Without VLLM_USE_V2_MODEL_RUNNER, that is
 * use_v2_model_runner in vllm/config/vllm.py, read in 0.22.0 to 0.33.0. Left out: on AMD, DeepSeek-V3.2 and V4 stay with
 * the first runner from 0.29.0 on.
 */
import type { GpuModel } from "../../../catalog/shapes";
import { keepsStates, type ModelArchitecture } from "../../../planner/model/architecture";
import { formatFor, formatKey } from "../../../planner/model/format-names";
import { weightKindNamed } from "../weight-formats";
import type { VllmRequest } from "./request";
import type { Sampler, VllmConstants, VllmOrigin } from "./versions";

export type ModelRunner = "v1" | "v2";

/** The models that the second runner serves. */
export interface SecondRunner {
  /** listed: the families alone; dense: also all without experts and recurrent layers; all: every model. */
  readonly models: "none" | "listed" | "dense" | "all";
  /** `model_type` of the text models among them; vLLM lists the classes. */
  readonly families: readonly string[];
  /** Checkpoints that are quantized as well. */
  readonly quantized: boolean;
}

/** @param request as it was asked: what vLLM makes of the checkpoint at load hides what that was. */
export function modelRunner(
  request: Pick<VllmRequest, "architecture" | "quantization">,
  second: SecondRunner,
): ModelRunner {
  const { architecture } = request;
  if (second.models === "none" || architecture.kind === "encoder") {
    return "v1";
  }
  if (second.models === "all") {
    return "v2";
  }
  if (!second.quantized && isQuantizedCheckpoint(request)) {
    return "v1";
  }
  const isListed = second.families.includes(architecture.family) && architecture.vision === undefined;
  return isListed || (second.models === "dense" && isDense(architecture)) ? "v2" : "v1";
}

/**
 * Whether the checkpoint itself declares a weight format (is_quantized in config/model.py of 0.22.0 and 0.23.0); one that
 * vLLM makes at load, of --quantization, does not count.
 */
function isQuantizedCheckpoint({ architecture, quantization }: Pick<VllmRequest, "architecture" | "quantization">) {
  if (architecture.quantization.rules.length > 0) {
    return true;
  }
  const key = formatKey(quantization ?? "");
  const isMadeAtLoad = weightKindNamed(key)?.madeAtLoad.includes(key) === true;
  return !isMadeAtLoad && formatFor(architecture, quantization).rules.length > 0;
}

function isDense(architecture: ModelArchitecture): boolean {
  return architecture.experts === undefined && !keepsStates(architecture);
}

/** The sampler of the profiling run; FlashInfer's needs a card of NVIDIA. */
export function samplerOf(
  { sampler, samplerOfSecondRunner }: Pick<VllmConstants, "sampler" | "samplerOfSecondRunner">,
  runner: ModelRunner,
  origin: VllmOrigin,
  vendor: GpuModel["vendor"] | undefined,
): Sampler {
  const kernel = runner === "v2" ? samplerOfSecondRunner : sampler[vendor === "amd" ? "pip" : origin];
  return kernel === "flashinfer" && vendor === "amd" ? "triton" : kernel;
}

/**
 * Bytes per (sequence, vocabulary entry) that the second runner keeps for penalties, requested or not: a 32-bit count
 * of each token put out and a bit for each in the prompt (v1/worker/gpu/sample/penalties.py of 0.22.0 to 0.33.0).
 */
export const PENALTY_BYTES_PER_LOGIT = 4 + 1 / 8;
