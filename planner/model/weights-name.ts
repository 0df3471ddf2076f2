/**
 * Facts in names of published weights: `Qwen2.5-7B-Instruct-AWQ`, `llama3.1:8b-instruct-q8_0`. A
 * name proves nothing; one that contradicts the plan shows an error in either.
 */
import type { ModelArchitecture } from "./architecture";
import { formatFor } from "./format-names";
import { ggufFileTypes } from "./gguf";
import { countParameters } from "./parameters";

/** How values are stored, without scales: comparable between a checkpoint and its name. */
export type NumberKind =
  | "plain"
  | "fp8"
  | "mxfp8"
  | "int8"
  | "int4"
  | "nvfp4"
  | "mxfp4"
  | "bitsandbytes"
  | "gguf"
  | "mlx";

export interface StatedFormat {
  /** The part of the name. */
  readonly word: string;
  /** Value for `quantization`. @default none is exact enough */
  readonly quantization?: string;
}

export interface StatedKind extends StatedFormat {
  readonly kind: NumberKind;
}

const START = "(?:^|[-_./:])";
const END = "(?=$|[-_./:])";

function word(alternatives: string): RegExp {
  return new RegExp(`${START}(${alternatives})${END}`, "i");
}

/** The first match counts: packages before methods, methods before bits. */
const KINDS: readonly { readonly pattern: RegExp; readonly kind: NumberKind; readonly quantization?: string }[] = [
  { pattern: word("mlx"), kind: "mlx" },
  { pattern: word("gguf"), kind: "gguf" },
  { pattern: word("bnb|nf4|bitsandbytes"), kind: "bitsandbytes", quantization: "bitsandbytes" },
  { pattern: word("(?:gptq|awq)[-_.](?:int8|8bits?|w8a16)"), kind: "int8" },
  { pattern: word("awq"), kind: "int4", quantization: "awq" },
  { pattern: word("gptq"), kind: "int4", quantization: "gptq" },
  { pattern: word("nvfp4|fp4"), kind: "nvfp4", quantization: "nvfp4" },
  { pattern: word("mxfp4"), kind: "mxfp4", quantization: "mxfp4" },
  { pattern: word("mxfp8"), kind: "mxfp8" },
  { pattern: word("fp8"), kind: "fp8", quantization: "fp8" },
  { pattern: word("w4a16|int4|4bits?"), kind: "int4", quantization: "int4" },
  { pattern: word("w8a16"), kind: "int8" },
  { pattern: word("w8a8|int8|8bits?"), kind: "int8", quantization: "int8" },
  { pattern: word("bf16|bfloat16"), kind: "plain", quantization: "bf16" },
  { pattern: word("fp16|f16"), kind: "plain", quantization: "fp16" },
  { pattern: word("fp32|f32"), kind: "plain", quantization: "fp32" },
];

/** Undefined where the name has none. */
export function statedKind(name: string): StatedKind | undefined {
  for (const { pattern, kind, quantization } of KINDS) {
    const [, found] = pattern.exec(name) ?? [];
    if (found !== undefined) {
      return { word: found, kind, ...(quantization !== undefined && { quantization }) };
    }
  }
  return undefined;
}

/** By the start of a scheme's name (quantization.ts). */
const SCHEMES: readonly (readonly [string, NumberKind])[] = [
  ["fp8", "fp8"],
  ["mxfp8", "mxfp8"],
  ["mxfp4", "mxfp4"],
  ["nvfp4", "nvfp4"],
  ["bitsandbytes", "bitsandbytes"],
  ["awq-int4", "int4"],
  ["gptq-int4", "int4"],
  ["int4", "int4"],
  ["awq-int8", "int8"],
  ["gptq-int8", "int8"],
  ["int8", "int8"],
];

/**
 * Empty where none has a name here.
 *
 * @param format name of a format. @default the checkpoint's own
 */
export function kindsOf(architecture: ModelArchitecture, format?: string): readonly NumberKind[] {
  const { rules } = formatFor(architecture, format);
  return rules.length === 0
    ? ["plain"]
    : rules.flatMap(({ scheme }) => SCHEMES.find(([start]) => scheme.name.startsWith(start))?.[1] ?? []);
}

/** Other names in llama.cpp and Ollama's library. */
const GGUF_SYNONYMS: Readonly<Record<string, string>> = { FP16: "F16", FP32: "F32" };

/** Resembles a file type or format, known or not. */
const GGUF_LIKE = /^(I?Q\d\w*|TQ\d\w*|B?F16|F32|FP(4|8|16|32)|MXFP[48]|NVFP4|INT[48]|QAT|MLX)$/i;

/** In a tag or file name: the last part that looks like one. No plan covers `UD-Q4_K_XL`. */
export function statedFileType(name: string): StatedFormat | undefined {
  const found = name.split(/[-./:]/).findLast((part) => GGUF_LIKE.test(part));
  if (found === undefined) {
    return undefined;
  }
  const type = GGUF_SYNONYMS[found.toUpperCase()] ?? found.toUpperCase();
  return { word: found, ...(ggufFileTypes.includes(type) && { quantization: type }) };
}

/** Billions: at least, at most. */
export interface StatedSize {
  readonly word: string;
  readonly leastB: number;
  readonly mostB: number;
}

const BILLIONS = new RegExp(`${START}((?:(\\d+)x)?(\\d+(?:\\.\\d+)?)b)${END}`, "gi");
/** Below twenty it is a context: `-1M`. */
const MILLIONS = new RegExp(`${START}((?:[2-9]\\d|\\d{3,})m)${END}`, "gi");

/**
 * `7B`, `0.5b`, `270m`. Shared parts of `8x7B` are not stated; `A3B` and `E4B` count no whole model
 * and are left out.
 */
export function statedSizes(name: string): StatedSize[] {
  const billions = [...name.matchAll(BILLIONS)].map(([, found = "", experts = "1", each = "0"]): StatedSize => {
    return { word: found, leastB: Number(each), mostB: Number(experts) * Number(each) };
  });
  if (billions.length > 0) {
    return billions;
  }
  return [...name.matchAll(MILLIONS)].map(([, found = ""]): StatedSize => {
    const size = Number.parseInt(found, 10) / 1000;
    return { word: found, leastB: size, mostB: size };
  });
}

/** Allowed difference: names round, and omit embeddings or a vision tower. */
const TOLERANCE = 1 / 3;

/** Matches all parameters, or those a token uses (`Llama-4-Scout-17B-16E`). */
export function isSizeOf({ leastB, mostB }: StatedSize, architecture: ModelArchitecture): boolean {
  const { total, active } = countParameters(architecture);
  return [total, active].some((parameters) => {
    const billions = parameters / 1e9;
    return billions * (1 + TOLERANCE) >= leastB && billions * (1 - TOLERANCE) <= mostB;
  });
}
