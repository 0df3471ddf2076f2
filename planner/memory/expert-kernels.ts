/**
 * MXFP4 experts in memory. The checkpoint's matrices fit no kernel as they are: each one pads them in its own way
 * (vLLM 0.19 and 0.33: fused_moe/oracle/mxfp4.py, quantization/utils/mxfp4_utils.py; triton_kernels 3.5 and 3.6:
 * tensor_details/layout_details/hopper_value.py and hopper_scale.py).
 */
import { roundUp } from "./units";

/** The kernel vLLM picks for MXFP4: Triton on Hopper, TensorRT-LLM on data-centre Blackwell, Marlin elsewhere. */
export type ExpertKernel = "triton" | "tensorrt-llm" | "marlin";

/** Multiples that the Triton kernel pads the 4-bit values to; columns are the inputs. */
export interface ValueTile {
  readonly rows: number;
  readonly columns: number;
}

/**
 * Multiple of the width of FP8 experts, one scale per tensor for weights and one for inputs, on one GPU: on FlashInfer's
 * kernels (compute capability 9.0 and higher) 16 with a gate, from 0.17.0 on 128 without
 * (vLLM 0.16.0, 0.17.0 and 0.33.0: prepare_fp8_moe_layer_for_fi in quantization/utils/flashinfer_utils.py).
 */
export function fp8ExpertMultiple(onFlashInfer: boolean, gated: boolean, multipleWithoutGate: number): number {
  if (!onFlashInfer) return 1;
  return gated ? 16 : multipleWithoutGate;
}

/** One fused expert parameter on one GPU: gate and up together, or down. */
export interface ExpertMatrix {
  readonly experts: number;
  readonly direction: "up" | "down";
  /** Model width, the same on every GPU. */
  readonly hidden: number;
  /** This GPU's part of the expert's inner width. */
  readonly width: number;
  /** Matrices fused along the rows: 2 for gate and up. */
  readonly fused: number;
}

/** Values of one matrix share a scale in groups of this many. */
const scaleGroup = 32;

/** Padding of the whole matrix before it is laid out. */
const matrixMultiple: Readonly<Record<ExpertKernel, { readonly hidden: number; readonly width: number }>> = {
  triton: { hidden: 1, width: 64 },
  "tensorrt-llm": { hidden: 256, width: 256 },
  marlin: { hidden: 256, width: 128 },
};

/** The scale layout of the Triton kernel on Hopper: rows for 8 warps of 32, columns in pairs. */
const tritonScaleTile = { rows: 8 * 32, columns: 2 } as const;

/**
 * Bytes of each tensor that stays allocated for one fused parameter. The Triton path deletes the values it was loaded
 * with but not their scales, so those are held twice.
 */
export function mxfp4Allocations(matrix: ExpertMatrix, kernel: ExpertKernel, tile: ValueTile): readonly number[] {
  const hidden = roundUp(matrix.hidden, matrixMultiple[kernel].hidden);
  const width = roundUp(matrix.width, matrixMultiple[kernel].width);
  const [rows, columns] = matrix.direction === "up" ? [matrix.fused * width, hidden] : [hidden, width];
  const groups = Math.ceil(columns / scaleGroup);
  const loadedScales = matrix.experts * rows * groups;
  if (kernel !== "triton") return [(matrix.experts * rows * columns) / 2, loadedScales];
  return [
    (matrix.experts * roundUp(rows, tile.rows) * roundUp(columns, tile.columns)) / 2,
    matrix.experts * roundUp(rows, tritonScaleTile.rows) * roundUp(groups, tritonScaleTile.columns),
    loadedScales,
  ];
}
