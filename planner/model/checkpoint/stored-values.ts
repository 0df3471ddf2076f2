/** What a stored tensor counts as: parameters of the model, or something beside them, packed or plain. */
import { DTYPE_BYTES, type Dtype } from "../architecture";
import type { WeightFormat } from "../quantization";
import { elementCount, type StoredDtype, type StoredTensor } from "./safetensors-header";

/** Types that a model computes in, by the names of config.json. */
const PLAIN_DTYPES: Partial<Record<StoredDtype, Dtype | "float64">> = {
  F64: "float64",
  F32: "float32",
  F16: "float16",
  BF16: "bfloat16",
};

/** Eight-bit floats: one value is one parameter. */
const BYTE_FLOATS: readonly StoredDtype[] = ["F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ"];

/** Parts of quantized projections that are no parameters (GPTQ, AWQ, compressed-tensors, ModelOpt, fp8, bitsandbytes). */
const BESIDE_PARAMETERS = /scale|zero|g_idx|absmax|quant_map|quant_state|weight_shape|inv_freq/;

/** Whether the shape of a tensor is that of the matrix, value by value. */
export function isPlainMatrix({ dtype, shape }: StoredTensor): boolean {
  return shape.length >= 2 && (PLAIN_DTYPES[dtype] !== undefined || BYTE_FLOATS.includes(dtype));
}

/** Parameters in a tensor: packed ones are counted as what they unpack to. */
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
 * Bytes of a tensor once vLLM has loaded it: matrices become the number type of the model, what is quantized stays, and
 * vectors are counted as stored, because some of them stay so (routing corrections, state-space constants).
 */
export function loadedBytes(tensor: StoredTensor, format: WeightFormat): number {
  const isMatrix = tensor.shape.length >= 2 && !BESIDE_PARAMETERS.test(tensor.name);
  return isMatrix && PLAIN_DTYPES[tensor.dtype] !== undefined
    ? elementCount(tensor) * DTYPE_BYTES[format.baseDtype]
    : tensor.bytes;
}

/** The number type that holds the most bytes; undefined where there is none that a model computes in. */
export function commonDtype(tensors: readonly StoredTensor[]): Dtype | undefined {
  const [found] = bytesByType(tensors).flatMap(([type]) => PLAIN_DTYPES[type] ?? []);
  return found === "float64" ? undefined : found;
}

/** Bytes of tensors by their type, the most first. */
export function bytesByType(tensors: readonly StoredTensor[]): readonly (readonly [StoredDtype, number])[] {
  const bytes = new Map<StoredDtype, number>();
  for (const tensor of tensors) {
    bytes.set(tensor.dtype, (bytes.get(tensor.dtype) ?? 0) + tensor.bytes);
  }
  return [...bytes].sort(([, a], [, b]) => b - a);
}
