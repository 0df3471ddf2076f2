/**
 * Memory of MXFP4 experts. Kernels cannot use the checkpoint's matrices directly: each pads them
 * differently (vLLM 0.19 and 0.33: fused_moe/oracle/mxfp4.py, quantization/utils/mxfp4_utils.py;
 * triton_kernels 3.5 and 3.6: tensor_details/layout_details/hopper_value.py and hopper_scale.py).
 */

import { roundUp } from "../../../names/units";
import { DTYPE_BYTES } from "../../../planner/model/architecture";
import type { WeightFormat } from "../../../planner/model/quantization";

/**
 * vLLM's kernel for MXFP4: Triton on Hopper and, in plain layout, on AMD; TensorRT-LLM on data
 * centre Blackwell, Marlin elsewhere.
 */
export type ExpertKernel = "triton" | "triton-rocm" | "tensorrt-llm" | "marlin";

export interface Mxfp4Rules {
  /** Padding of 4-bit values by the Triton kernel; columns are the inputs. */
  readonly tile: { readonly rows: number; readonly columns: number };
  /** Multiple of scales per row in the Triton kernel's layout. */
  readonly scaleGroups: number;
  /** Whether loaded scales remain in addition to the Triton kernel's. */
  readonly keepsScales: boolean;
  /** Multiple of the width in TensorRT-LLM's kernel. */
  readonly tensorRtWidth: number;
}

/**
 * Kernel for a checkpoint's MXFP4 experts. Triton only for checkpoints in gpt-oss format; others on
 * the same cards get Marlin (vLLM 0.20.2 and 0.33.0: _get_priority_backends and ..._for_gpt_oss).
 */
export function mxfp4Kernel(ofCard: ExpertKernel, { method }: WeightFormat): ExpertKernel {
  return ofCard === "triton" && method !== undefined && method !== "mxfp4" ? "marlin" : ofCard;
}

/**
 * Width multiple of FP8 experts on one GPU, with one scale per tensor for weights and one for
 * inputs. On FlashInfer's kernels (compute capability 9.0 and higher) 16 with a gate, since 0.17.0
 * 128 without (vLLM 0.16.0, 0.17.0 and 0.33.0: prepare_fp8_moe_layer_for_fi in
 * quantization/utils/flashinfer_utils.py).
 */
export function fp8ExpertMultiple(onFlashInfer: boolean, gated: boolean, multipleWithoutGate: number): number {
  if (!onFlashInfer) {
    return 1;
  }
  return gated ? 16 : multipleWithoutGate;
}

/** One fused expert parameter on one GPU: gate and up together, or down. */
export interface ExpertMatrix {
  readonly experts: number;
  readonly direction: "up" | "down";
  /** Model width, equal on all GPUs. */
  readonly hidden: number;
  /** This GPU's share of the expert's inner width. */
  readonly width: number;
  /** Matrices fused along the rows: 2 for gate and up. */
  readonly fused: number;
}

/** Values of a matrix that share a scale. */
const SCALE_GROUP = 32;

/** Padding of the whole matrix before layout. */
function matrixMultiple(kernel: ExpertKernel, rules: Mxfp4Rules): { readonly hidden: number; readonly width: number } {
  switch (kernel) {
    case "triton":
      return { hidden: 1, width: 64 };
    case "triton-rocm":
      // 0.11.0 and 0.19.1 to 0.33.0; 0.16 to 0.18 used 128 except on CDNA 4
      return { hidden: 256, width: 256 };
    case "tensorrt-llm":
      return { hidden: 256, width: rules.tensorRtWidth };
    case "marlin":
      return { hidden: 256, width: 128 };
  }
}

/** Rows of the scale layout of the Triton kernel on Hopper: 8 warps of 32. */
const TRITON_SCALE_ROWS = 8 * 32;

/** Bytes of each remaining tensor of a fused parameter; Triton deletes the loaded values. */
export function mxfp4Allocations(matrix: ExpertMatrix, kernel: ExpertKernel, rules: Mxfp4Rules): readonly number[] {
  const multiple = matrixMultiple(kernel, rules);
  const hidden = roundUp(matrix.hidden, multiple.hidden);
  const width = roundUp(matrix.width, multiple.width);
  const [rows, columns] = matrix.direction === "up" ? [matrix.fused * width, hidden] : [hidden, width];
  const groups = Math.ceil(columns / SCALE_GROUP);
  const loadedScales = matrix.experts * rows * groups;
  if (kernel !== "triton") {
    return [(matrix.experts * rows * columns) / 2, loadedScales];
  }
  return [
    (matrix.experts * roundUp(rows, rules.tile.rows) * roundUp(columns, rules.tile.columns)) / 2,
    matrix.experts * roundUp(rows, TRITON_SCALE_ROWS) * roundUp(groups, rules.scaleGroups),
    ...(rules.keepsScales ? [loadedScales] : []),
  ];
}

/** Expert biases on one GPU: gate and up together, or down. */
export interface ExpertBias extends Pick<ExpertMatrix, "experts" | "direction" | "fused"> {
  /** This GPU's share of one fused bias. */
  readonly rows: number;
}

/** Bytes of the biases: padded like their matrices; float32 in all kernels but Marlin's. */
export function mxfp4BiasBytes(
  { experts, direction, rows, fused }: ExpertBias,
  kernel: ExpertKernel,
  rules: Mxfp4Rules,
): number {
  const { hidden, width } = matrixMultiple(kernel, rules);
  const valueBytes = DTYPE_BYTES[kernel === "marlin" ? "bfloat16" : "float32"];
  return experts * fused * roundUp(rows, direction === "up" ? width : hidden) * valueBytes;
}
