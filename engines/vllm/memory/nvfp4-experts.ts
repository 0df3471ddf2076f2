/**
 * Padding of NVFP4 experts: each kernel needs multiples of an expert's inner width per GPU. vLLM
 * uses TensorRT-LLM on compute capability 10, CUTLASS on 12 and Marlin before, which computes in 16
 * bits (quantization/utils/flashinfer_fp4_moe.py and marlin_utils_fp4.py of 0.17.0, 0.19.1 and each
 * release 0.20.0 to 0.33.0).
 */
import type { CardTraits } from "./cards";
import type { VllmConstants } from "./versions";

export function nvfp4ExpertMultiple(
  { generation }: Pick<CardTraits, "generation">,
  experts: { readonly gated: boolean; readonly hidden: number },
  { nvfp4Experts, plainExpertMultiple }: Pick<VllmConstants, "nvfp4Experts" | "plainExpertMultiple">,
): number {
  if (generation === 10) {
    return experts.gated ? nvfp4Experts.tensorRtGated : plainExpertMultiple;
  }
  // CUTLASS lays out scales for 128 rows, and refuses gated experts that need padding
  if (generation === 12) {
    return experts.gated ? 1 : 128;
  }
  if (!nvfp4Experts.marlinPads) {
    return 1;
  }
  return experts.hidden % 128 === 0 ? 64 : 128;
}
