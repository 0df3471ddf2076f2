import type { CpuArchitecture } from "../../catalog/shapes";
import table from "./weight-formats.json";

/** What a processor must have besides its architecture; "unproven": a code path exists that nobody is known to have run. */
export type ProcessorNeed = "any" | "avx512" | "amx" | "unproven";

/** By architecture; one that is left out has no kernel. */
export type CpuNeeds = Readonly<Partial<Record<CpuArchitecture, ProcessorNeed>>>;

/** What vLLM does with one kind of weights. */
export interface WeightKind {
  /** Start of the scheme's name, e.g. "fp8-block"; the longest that matches counts. */
  readonly weights: string;
  /** Names that are also values of `--quantization`: made from a 16-bit checkpoint when it is loaded. */
  readonly madeAtLoad: readonly string[];
  /** Names that only a checkpoint can have. */
  readonly declared: readonly string[];
  /** The ability with which a card computes in the format, instead of only storing it. */
  readonly native?: "fp8" | "mxfp4" | "nvfp4";
  /** On CPUs. @default no architecture has a kernel */
  readonly cpu?: CpuNeeds;
  /** The same for experts. @default as cpu */
  readonly cpuExperts?: CpuNeeds;
  readonly source: string;
}

/** One way to declare weights (`quant_method` of config.json) that is on the way out. */
export interface CheckpointMethod {
  readonly method: string;
  /** Without this flag the release refuses the method. */
  readonly flag: string;
  readonly source: string;
}

/** What a number format of the KV cache asks of processors. */
export interface CacheDtype {
  readonly dtype: string;
  /** On CPUs. @default no architecture has a kernel */
  readonly cpu?: CpuNeeds;
  readonly source: string;
}

// Checked against weight-formats-schema.ts by test/engines/vllm.
export const weightKinds = table.formats as readonly WeightKind[];
export const checkpointMethods = table.methods as readonly CheckpointMethod[];
export const cacheDtypes = table.kvCache as readonly CacheDtype[];
/** Families (`model_type`) that vLLM refuses to run in float16. */
export const noFloat16 = table.noFloat16 as readonly string[];

/** The kind of a scheme, e.g. "fp8-block-128x128" is "fp8-block"; undefined for GGUF types and plain numbers. */
export function weightKindOf(scheme: string): WeightKind | undefined {
  return weightKinds
    .filter(({ weights }) => scheme === weights || scheme.startsWith(`${weights}-`))
    .sort((a, b) => b.weights.length - a.weights.length)[0];
}

/** The kind that a `quantization` of this name asks for; undefined for number types and GGUF names. */
export function weightKindNamed(name: string): WeightKind | undefined {
  return weightKinds.find(({ madeAtLoad, declared }) => madeAtLoad.includes(name) || declared.includes(name));
}
