/** Weight formats by name: of --quantization, Ollama tags, or common use. */
import type { Dtype, ModelArchitecture } from "./architecture";
import { ggufFileTypes, ggufFormat } from "./gguf";
import { Kept } from "./kept";
import { ownValue } from "./own-value";
import { type QuantizationScheme, schemes, unquantized, type WeightFormat } from "./quantization";

export class UnknownFormatError extends Error {
  override readonly name = "UnknownFormatError";

  constructor(format: string, known: readonly string[] = formatNames) {
    super(`quantization "${format}" is not known; use one of ${known.join(", ")}`);
  }
}

const DTYPE_NAMES: Readonly<Record<string, Dtype>> = {
  bf16: "bfloat16",
  bfloat16: "bfloat16",
  fp16: "float16",
  float16: "float16",
  half: "float16",
  fp32: "float32",
  float32: "float32",
};

/** Formats made at load time or by a quantized sibling of the checkpoint. */
const namedSchemes: Readonly<Record<string, { readonly family: string; readonly scheme: QuantizationScheme }>> = {
  fp8: { family: "fp8", scheme: schemes.fp8Tensor() },
  fp8_per_tensor: { family: "fp8", scheme: schemes.fp8Tensor() },
  fp8_per_channel: { family: "fp8", scheme: schemes.eightBitRow("fp8") },
  fp8_per_block: { family: "fp8", scheme: schemes.fp8Block(128, 128) },
  int8: { family: "int8", scheme: schemes.eightBitRow("int8") },
  w8a8: { family: "int8", scheme: schemes.eightBitRow("int8") },
  int4: { family: "int4", scheme: schemes.packedGroup(4, 128, true) },
  w4a16: { family: "int4", scheme: schemes.packedGroup(4, 128, true) },
  awq: { family: "awq", scheme: schemes.awq(4, 128) },
  gptq: { family: "gptq", scheme: schemes.gptq(4, 128) },
  mxfp4: { family: "mxfp4", scheme: schemes.mxfp4() },
  nvfp4: { family: "nvfp4", scheme: schemes.nvfp4() },
  bitsandbytes: { family: "bitsandbytes", scheme: schemes.bitsAndBytes4(false) },
};

/** Without GGUF file types that equal a dtype's name. */
export const formatNames: readonly string[] = [
  ...new Set([...Object.keys(namedSchemes), ...Object.keys(DTYPE_NAMES), ...ggufFileTypes]),
];

export function formatKey(name: string): string {
  return name
    .toLowerCase()
    .replace(/_marlin$/, "")
    .replace(/-/g, "_");
}

/** Undefined for names of weight formats. */
export function dtypeNamed(name: string): Dtype | undefined {
  return ownValue(DTYPE_NAMES, formatKey(name));
}

/** Usual names: `BF16`, `FP8-block-128x128`, `Q4_K_M`. */
export function formatLabel(architecture: ModelArchitecture, name?: string): string {
  const format = formatFor(architecture, name).name;
  return (
    DTYPE_LABELS[format] ?? format.replace(/\b(fp8|int[48]|mxfp[48]|nvfp4|awq|gptq)\b/g, (word) => word.toUpperCase())
  );
}

const DTYPE_LABELS: Readonly<Record<string, string>> = { bfloat16: "BF16", float16: "FP16", float32: "FP32" };

const replaced = new Kept<ModelArchitecture, string, WeightFormat>();

/**
 * The checkpoint's format, or the named one. A name that repeats the checkpoint's family (fp8 on
 * fp8) keeps its exact scheme.
 * @throws UnknownFormatError listing the accepted names
 */
export function formatFor(architecture: ModelArchitecture, name?: string): WeightFormat {
  if (name === undefined || name === "") {
    return architecture.quantization;
  }
  // One object per answer: caches use it as key.
  return replaced.get(architecture, name, () => namedFormat(architecture, name));
}

function namedFormat(architecture: ModelArchitecture, name: string): WeightFormat {
  const own = architecture.quantization;
  const key = formatKey(name);
  if (key === "auto" || key === "none" || key === "compressed_tensors" || key === "modelopt") {
    return own;
  }
  const dtype = ownValue(DTYPE_NAMES, key);
  if (dtype !== undefined) {
    return unquantized(dtype);
  }
  const named = ownValue(namedSchemes, key);
  if (named !== undefined) {
    if (own.rules.some((rule) => rule.scheme.name.startsWith(named.family))) {
      return own;
    }
    return { ...own, name: named.scheme.name, method: undefined, rules: [{ targets: "layers", scheme: named.scheme }] };
  }
  const gguf = ggufFormat(architecture, name);
  if (gguf === undefined) {
    throw new UnknownFormatError(name);
  }
  return gguf;
}

/** A GGUF name that engines use as well (mxfp4) counts only in capitals. */
export function isGgufName(name: string): boolean {
  return (
    ggufFileTypes.includes(name) || (!Object.hasOwn(namedSchemes, name) && ggufFileTypes.includes(name.toUpperCase()))
  );
}
