import type { CpuArchitecture } from "../../catalog/shapes";
import table from "./weight-formats.json";

/**
 * Processor requirements besides the architecture; "unproven": a code path exists without known
 * use.
 */
export type ProcessorNeed = "any" | "avx512" | "amx" | "unproven";

/** By architecture; missing ones have no kernel. */
export type CpuNeeds = Readonly<Partial<Record<CpuArchitecture, ProcessorNeed>>>;

export interface WeightKind {
  /** Prefix of the scheme's name: "fp8-block"; the longest match applies. */
  readonly weights: string;
  /** Names that are also `--quantization` values: created from a 16-bit checkpoint at load. */
  readonly madeAtLoad: readonly string[];
  /** Names that only checkpoints can have. */
  readonly declared: readonly string[];
  /** Card capability to compute in the format, instead of only storing it. */
  readonly native?: "fp8" | "mxfp4" | "nvfp4";
  /** On CPUs. @default no kernels */
  readonly cpu?: CpuNeeds;
  /** Same for experts. @default as cpu */
  readonly cpuExperts?: CpuNeeds;
  readonly source: string;
}

/** A deprecated declaration of weights (`quant_method` of config.json). */
export interface CheckpointMethod {
  readonly method: string;
  /** Flag that the release requires for the method. */
  readonly flag: string;
  readonly source: string;
}

/** Processor requirements of a KV cache number format. */
export interface CacheDtype {
  readonly dtype: string;
  /** On CPUs. @default no kernels */
  readonly cpu?: CpuNeeds;
  readonly source: string;
}

// Validated by weight-formats-schema.ts in test/engines/vllm.
export const weightKinds = table.formats as readonly WeightKind[];
export const checkpointMethods = table.methods as readonly CheckpointMethod[];
export const cacheDtypes = table.kvCache as readonly CacheDtype[];
/** Families (`model_type`) that vLLM refuses in float16. */
export const noFloat16 = table.noFloat16 as readonly string[];

/**
 * Kind of a scheme: "fp8-block-128x128" is "fp8-block"; undefined for GGUF types and plain numbers.
 */
export function weightKindOf(scheme: string): WeightKind | undefined {
  return weightKinds
    .filter(({ weights }) => scheme === weights || scheme.startsWith(`${weights}-`))
    .sort((a, b) => b.weights.length - a.weights.length)[0];
}

/** Kind of a `quantization` name; undefined for number types and GGUF names. */
export function weightKindNamed(name: string): WeightKind | undefined {
  return weightKinds.find(({ madeAtLoad, declared }) => madeAtLoad.includes(name) || declared.includes(name));
}
