/**
 * vLLM's two model runners. Since 0.22.0 the second replaces the first by family. It counts no CUDA
 * graphs at first, uses fewer sampling buffers, and keeps penalty tables. Without
 * VLLM_USE_V2_MODEL_RUNNER: use_v2_model_runner in vllm/config/vllm.py, read in 0.22.0 to 0.33.0.
 * Not modelled: on AMD, DeepSeek-V3.2 and V4 keep the first runner since 0.29.0.
 */
import type { GpuModel } from "../../../catalog/shapes";
import { keepsStates, type ModelArchitecture } from "../../../planner/model/architecture";
import { formatFor, formatKey } from "../../../planner/model/format-names";
import { weightKindNamed } from "../weight-formats";
import type { VllmRequest } from "./request";
import type { Sampler, VllmConstants, VllmOrigin } from "./versions";

export type ModelRunner = "v1" | "v2";

export interface SecondRunner {
  /**
   * listed: only the families; dense: also all without experts and recurrent layers; all: every
   * model.
   */
  readonly models: "none" | "listed" | "dense" | "all";
  /** `model_type` of the text models among them; vLLM lists the classes. */
  readonly families: readonly string[];
  /** Including quantized checkpoints. */
  readonly quantized: boolean;
}

/** @param request as asked: the model as loaded hides the checkpoint's format. */
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
 * Whether the checkpoint declares a weight format (is_quantized in config/model.py of 0.22.0 and
 * 0.23.0). Excludes formats that vLLM creates at load for --quantization.
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

/** Sampler of the profiling run; FlashInfer's requires NVIDIA. */
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
 * Penalty bytes of the second runner per (sequence, vocabulary entry), requested or not: a 32-bit
 * count per output token and a bit per prompt token (v1/worker/gpu/sample/penalties.py of 0.22.0 to
 * 0.33.0).
 */
export const PENALTY_BYTES_PER_LOGIT = 4 + 1 / 8;
