/** What a stored tensor counts as: model parameters or companions, packed or plain. */
import { DTYPE_BYTES, type Dtype } from "../architecture";
import type { WeightFormat } from "../quantization";
import { elementCount, type StoredDtype, type StoredTensor } from "./safetensors-header";

/** Compute types, by the names of config.json. */
const PLAIN_DTYPES: Partial<Record<StoredDtype, Dtype | "float64">> = {
  F64: "float64",
  F32: "float32",
  F16: "float16",
  BF16: "bfloat16",
};

/** One value is one parameter. */
const BYTE_FLOATS: readonly StoredDtype[] = ["F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ"];

/**
 * Companions in quantized projections (GPTQ, AWQ, compressed-tensors, ModelOpt, fp8, bitsandbytes).
 */
const BESIDE_PARAMETERS = /scale|zero|g_idx|absmax|quant_map|quant_state|weight_shape|inv_freq/;

/** Whether a tensor's shape is the matrix's, value by value. */
export function isPlainMatrix({ dtype, shape }: StoredTensor): boolean {
  return shape.length >= 2 && (PLAIN_DTYPES[dtype] !== undefined || BYTE_FLOATS.includes(dtype));
}

/** Packed values count unpacked. */
export function parametersIn(tensor: StoredTensor, format: WeightFormat): number {
  const { dtype, name } = tensor;
  const part = name.slice(name.lastIndexOf(".") + 1);
  if (BESIDE_PARAMETERS.test(part) || BESIDE_PARAMETERS.test(name.split(".").slice(-2).join("."))) {
    return 0;
  }
  if (PLAIN_DTYPES[dtype] !== undefined || BYTE_FLOATS.includes(dtype)) {
    return elementCount(tensor);
  }
  if (["BOOL", "I64", "U64", "C64", "I16", "U16"].includes(dtype)) {
    return 0;
  }
  const weightBits = format.rules[0]?.scheme.weightBits;
  return weightBits === undefined ? elementCount(tensor) : Math.round((tensor.bytes * 8) / weightBits);
}

/**
 * After vLLM has loaded it: matrices take the model's type, quantized tensors stay, and vectors
 * count as stored, because some stay so (routing corrections, state-space constants).
 */
export function loadedBytes(tensor: StoredTensor, format: WeightFormat): number {
  const isMatrix = tensor.shape.length >= 2 && !BESIDE_PARAMETERS.test(tensor.name);
  return isMatrix && PLAIN_DTYPES[tensor.dtype] !== undefined
    ? elementCount(tensor) * DTYPE_BYTES[format.baseDtype]
    : tensor.bytes;
}

/** The type with the most bytes; undefined without a compute type. */
export function commonDtype(tensors: readonly StoredTensor[]): Dtype | undefined {
  const [found] = bytesByType(tensors).flatMap(([type]) => PLAIN_DTYPES[type] ?? []);
  return found === "float64" ? undefined : found;
}

/** Largest first. */
export function bytesByType(tensors: readonly StoredTensor[]): readonly (readonly [StoredDtype, number])[] {
  const bytes = new Map<StoredDtype, number>();
  for (const tensor of tensors) {
    bytes.set(tensor.dtype, (bytes.get(tensor.dtype) ?? 0) + tensor.bytes);
  }
  return [...bytes].sort(([, a], [, b]) => b - a);
}
