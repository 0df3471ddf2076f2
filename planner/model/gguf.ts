/**
 * GGUF file types as mixed by llama.cpp's quantizer: most matrices in the named type, a few in a
 * better one. Source: llama.cpp src/llama-quant.cpp (llama_tensor_get_type), ggml/src/ggml-common.h
 * for bits per weight.
 */
import type { ModelArchitecture } from "./architecture";
import { isTower } from "./checkpoint/layout";
import { ownValue } from "./own-value";
import {
  type ModulePattern,
  type QuantizationRule,
  type QuantizationScheme,
  schemes,
  type WeightFormat,
} from "./quantization";

/** Bits per weight with scales. K types have super-blocks of 256 values, others 32. */
const GGML_TYPES = {
  F32: { bits: 32, block: 1 },
  F16: { bits: 16, block: 1 },
  BF16: { bits: 16, block: 1 },
  Q8_0: { bits: 8.5, block: 32 },
  Q6_K: { bits: 6.5625, block: 256 },
  Q5_K: { bits: 5.5, block: 256 },
  Q5_1: { bits: 6, block: 32 },
  Q5_0: { bits: 5.5, block: 32 },
  Q4_K: { bits: 4.5, block: 256 },
  Q4_1: { bits: 5, block: 32 },
  Q4_0: { bits: 4.5, block: 32 },
  Q3_K: { bits: 3.4375, block: 256 },
  Q2_K: { bits: 2.625, block: 256 },
  IQ4_NL: { bits: 4.5, block: 32 },
  IQ4_XS: { bits: 4.25, block: 256 },
  IQ3_S: { bits: 3.4375, block: 256 },
  IQ3_XXS: { bits: 3.0625, block: 256 },
  IQ2_S: { bits: 2.5625, block: 256 },
  IQ2_XS: { bits: 2.3125, block: 256 },
  IQ2_XXS: { bits: 2.0625, block: 256 },
  IQ1_M: { bits: 1.75, block: 256 },
  IQ1_S: { bits: 1.5625, block: 256 },
  TQ2_0: { bits: 2.0625, block: 256 },
  TQ1_0: { bits: 1.6875, block: 256 },
  MXFP4: { bits: 4.25, block: 32 },
} as const;

type GgmlType = keyof typeof GGML_TYPES;

interface FileType {
  readonly main: GgmlType;
  /** Output matrix, or embedding when tied. */
  readonly output: GgmlType;
  /** Half of the value and down projections, including first and last layers. */
  readonly moreBits?: GgmlType;
  /** Outside the experts (gpt-oss). */
  readonly outsideExperts?: GgmlType;
}

const FILE_TYPES: Readonly<Record<string, FileType>> = {
  F32: { main: "F32", output: "F32" },
  F16: { main: "F16", output: "F16" },
  BF16: { main: "BF16", output: "BF16" },
  Q8_0: { main: "Q8_0", output: "Q8_0" },
  Q6_K: { main: "Q6_K", output: "Q6_K" },
  Q5_K_M: { main: "Q5_K", output: "Q6_K", moreBits: "Q6_K" },
  Q5_K_S: { main: "Q5_K", output: "Q6_K" },
  Q4_K_M: { main: "Q4_K", output: "Q6_K", moreBits: "Q6_K" },
  Q4_K_S: { main: "Q4_K", output: "Q6_K" },
  Q5_1: { main: "Q5_1", output: "Q6_K" },
  Q5_0: { main: "Q5_0", output: "Q6_K" },
  Q4_1: { main: "Q4_1", output: "Q6_K" },
  Q4_0: { main: "Q4_0", output: "Q6_K" },
  Q3_K_L: { main: "Q3_K", output: "Q6_K", moreBits: "Q5_K" },
  Q3_K_M: { main: "Q3_K", output: "Q6_K", moreBits: "Q5_K" },
  Q3_K_S: { main: "Q3_K", output: "Q6_K" },
  Q2_K: { main: "Q2_K", output: "Q6_K", moreBits: "Q3_K" },
  Q2_K_S: { main: "Q2_K", output: "Q6_K", moreBits: "Q4_K" },
  IQ4_NL: { main: "IQ4_NL", output: "Q6_K" },
  IQ4_XS: { main: "IQ4_XS", output: "Q6_K" },
  IQ3_M: { main: "IQ3_S", output: "Q6_K", moreBits: "Q4_K" },
  IQ3_S: { main: "IQ3_S", output: "Q6_K" },
  IQ3_XS: { main: "IQ3_S", output: "Q6_K" },
  IQ3_XXS: { main: "IQ3_XXS", output: "Q5_K" },
  IQ2_M: { main: "IQ2_S", output: "Q5_K", moreBits: "IQ3_S" },
  IQ2_S: { main: "IQ2_XS", output: "Q5_K", moreBits: "IQ3_S" },
  IQ2_XS: { main: "IQ2_XS", output: "Q5_K", moreBits: "Q2_K" },
  IQ2_XXS: { main: "IQ2_XXS", output: "Q5_K", moreBits: "Q2_K" },
  IQ1_M: { main: "IQ1_M", output: "Q5_K", moreBits: "Q2_K" },
  IQ1_S: { main: "IQ1_S", output: "Q5_K", moreBits: "Q2_K" },
  TQ2_0: { main: "TQ2_0", output: "Q6_K" },
  TQ1_0: { main: "TQ1_0", output: "Q6_K" },
  MXFP4: { main: "MXFP4", output: "BF16", outsideExperts: "BF16" },
};

/** Types for matrices whose inputs are no multiple of 256. */
const FALLBACKS: Partial<Record<GgmlType, GgmlType>> = {
  Q6_K: "Q8_0",
  Q5_K: "Q5_1",
  Q4_K: "Q5_0",
  Q3_K: "Q4_0",
  Q2_K: "Q4_0",
  IQ4_XS: "IQ4_NL",
  IQ3_S: "IQ4_NL",
  IQ3_XXS: "IQ4_NL",
  IQ2_S: "IQ4_NL",
  IQ2_XS: "IQ4_NL",
  IQ2_XXS: "IQ4_NL",
  IQ1_M: "IQ4_NL",
  IQ1_S: "IQ4_NL",
  TQ2_0: "Q4_0",
  TQ1_0: "Q4_0",
};

/** E.g. "Q4_K_M". */
export const ggufFileTypes: readonly string[] = Object.keys(FILE_TYPES);

/** Undefined for unknown names. */
export function ggufFormat(architecture: ModelArchitecture, name: string): WeightFormat | undefined {
  const fileType = ownValue(FILE_TYPES, name.toUpperCase());
  if (fileType === undefined) {
    return undefined;
  }
  const outputName = architecture.tieEmbeddings ? "embed_tokens" : "lm_head";
  const { main, output, moreBits, outsideExperts } = fileType;
  return {
    name: name.toUpperCase(),
    baseDtype: "float32",
    rules: [
      // a multimodal model's projector is a separate file in half precision
      ...typeRules("F16", [(module) => module.split(".").some(isTower)]),
      ...typeRules(output, [(module) => module.split(".").at(-1) === outputName]),
      ...(moreBits === undefined ? [] : typeRules(moreBits, [moreBitsPattern(architecture.layers)])),
      ...(outsideExperts === undefined ? [] : [{ targets: "experts" as const, scheme: ggmlScheme(main) }]),
      ...typeRules(outsideExperts ?? main, "all"),
    ],
    ignored: [],
  };
}

function typeRules(type: GgmlType, targets: "all" | readonly ModulePattern[]): readonly QuantizationRule[] {
  const fallback = FALLBACKS[type];
  return [
    { targets, scheme: ggmlScheme(type), columnsMultipleOf: GGML_TYPES[type].block },
    { targets, scheme: ggmlScheme(fallback ?? "F16") },
  ];
}

function ggmlScheme(type: GgmlType): QuantizationScheme {
  return schemes.flat(type, GGML_TYPES[type].bits);
}

/**
 * llama.cpp's use_more_bits: first and last eighth of the layers and every third between, for two
 * projections. Checkpoint names may have a prefix: `language_model.model.layers.0`,
 * `model.language_model.layers.0`.
 */
function moreBitsPattern(layers: number): ModulePattern {
  const eighth = Math.floor(layers / 8);
  return (module) => {
    const found = /model\.layers\.(\d+)\..*\.(?:v_proj|down_proj)$/.exec(module);
    if (found === null) {
      return false;
    }
    const layer = Number(found[1]);
    return layer < eighth || layer >= Math.floor((7 * layers) / 8) || (layer - eighth) % 3 === 2;
  };
}
