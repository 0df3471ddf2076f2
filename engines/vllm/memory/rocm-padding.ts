/**
 * vLLM on AMD pads weight rows: multiples of 512 bytes get 256 more (VLLM_ROCM_MOE_PADDING and
 * VLLM_ROCM_FP8_PADDING, both on by default, on Instinct and Radeon). AITER uses shuffled experts
 * without padding, but is off by default up to 0.33.0 (VLLM_ROCM_USE_AITER in envs.py).
 */
import type { QuantizationScheme } from "../../../planner/model/quantization";
import type { ModelTensor } from "../../../planner/model/tensors";
import type { CardTraits } from "./cards";
import type { VllmConstants } from "./versions";

export interface RowPadding {
  /** Unquantized experts (_maybe_pad_weight in fused_moe/unquantized_fused_moe_method.py). */
  readonly experts: boolean;
  /**
   * FP8 matrices outside experts, with block or static scales (_maybe_pad_fp8_weight in
   * quantization/utils/fp8_utils.py).
   */
  readonly fp8: boolean;
}

export function rowPadding(
  { rocmPadsExperts }: Pick<VllmConstants, "rocmPadsExperts">,
  { vendor }: Pick<CardTraits, "vendor">,
): RowPadding {
  return { experts: vendor === "amd" && rocmPadsExperts, fp8: vendor === "amd" };
}

export function rowPaddingBytes(
  { kind }: Pick<ModelTensor, "kind">,
  scheme: QuantizationScheme | undefined,
  { rows, columns }: { readonly rows: number; readonly columns: number },
  valueBytes: number,
  padding: RowPadding,
): number {
  if (!isPadded(kind, scheme, padding)) {
    return 0;
  }
  return (columns * valueBytes) % 512 === 0 ? rows * 256 : 0;
}

function isPadded(kind: ModelTensor["kind"], scheme: QuantizationScheme | undefined, padding: RowPadding): boolean {
  if (kind === "expert") {
    return padding.experts && scheme === undefined;
  }
  const isFp8 = scheme?.weightBits === 8 && (scheme.scale.per === "block" || scheme.staticInputs === true);
  return padding.fp8 && isFp8;
}
