/** Command line of `npm run model`: reading and checking. */
import { parseArgs } from "node:util";
import { engineVersion } from "../catalog/engines";
import type { KvCacheDtype } from "../planner/memory/kv-cache";
import { ownValue } from "../planner/model/own-value";
import { messageOf } from "./io";

/** The version that the platform pins. */
const defaultVllmVersion = engineVersion("vllm");

export const modelUsage = `Usage: npm run model -- <catalogue name | path to config.json> [options]

Explains one model: parameters, weights, KV cache, and what fits on a GPU and why.

  --gpu-memory-gib N   memory of one GPU as the driver reports it (default 79.19, an 80 GB H100)
  --gpu-model S        name of the card, e.g. "NVIDIA L40S"; decides kernels and scheduler defaults
  --tp N               tensor parallelism (default 1)
  --pp N               pipeline parallelism (default 1)
  --utilization F      --gpu-memory-utilization of vLLM (default: that of the version)
  --context N          tokens of one request (default: the model's limit, at most 8192)
  --concurrency N      requests of that length at once (default 1)
  --kv-dtype D         auto, bfloat16 or fp8 (default auto)
  --quantization Q     weight format instead of the checkpoint's own, e.g. fp8, awq, Q4_K_M
  --vllm-version V     default ${defaultVllmVersion}
  --max-num-seqs N     --max-num-seqs of vLLM (default: that of the card)
  --json               machine-readable
  --help               this text

Exit status: 0 read, 2 bad input.
`;

export interface ModelArguments {
  readonly model: string;
  readonly gpuMemoryGiB: number;
  readonly gpuModel?: string;
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  readonly utilization?: number;
  readonly contextTokens?: number;
  readonly concurrency: number;
  readonly kvCacheDtype: KvCacheDtype;
  readonly quantization?: string;
  readonly vllmVersion: string;
  readonly maxNumSeqs?: number;
  readonly json: boolean;
}

/** "80 GB" H100 as its driver reports it. */
const defaultGpuMemoryGiB = 79.19;

const kvDtypes: Readonly<Record<string, KvCacheDtype>> = {
  auto: "auto",
  bfloat16: "bfloat16",
  bf16: "bfloat16",
  float16: "bfloat16",
  fp8: "fp8",
  fp8_e4m3: "fp8",
  fp8_e5m2: "fp8",
};

export const modelOptions = {
  "gpu-memory-gib": { type: "string" },
  "gpu-model": { type: "string" },
  tp: { type: "string" },
  pp: { type: "string" },
  utilization: { type: "string" },
  context: { type: "string" },
  concurrency: { type: "string" },
  "kv-dtype": { type: "string" },
  quantization: { type: "string" },
  "vllm-version": { type: "string" },
  "max-num-seqs": { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** The arguments, "help", or every problem with them. */
export function readModelArguments(argv: string[]): ModelArguments | "help" | { readonly problems: readonly string[] } {
  const parsed = parse(argv);
  if ("problems" in parsed) return parsed;
  const { values, positionals } = parsed;
  if (values.help) return "help";
  const problems: string[] = [];
  const [model, ...rest] = positionals;
  if (model === undefined || rest.length > 0) problems.push(`expected one model, got ${positionals.length}`);
  const number = (name: keyof typeof values, whole: boolean): number | undefined => {
    const text = values[name];
    if (typeof text !== "string") return undefined;
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (value > 0 && value < 1e12 && (!whole || Number.isInteger(value))) return value;
    problems.push(`--${name} must be a ${whole ? "whole " : ""}number above 0, is "${text}"`);
    return undefined;
  };
  const kvCacheDtype = ownValue(kvDtypes, values["kv-dtype"] ?? "auto");
  if (kvCacheDtype === undefined)
    problems.push(`--kv-dtype must be one of ${Object.keys(kvDtypes).join(", ")}, is "${values["kv-dtype"]}"`);
  const vllmVersion = values["vllm-version"] ?? defaultVllmVersion;
  if (!/^v?\d{1,6}(\.\d{1,6})+/.test(vllmVersion))
    problems.push(`--vllm-version must look like ${defaultVllmVersion}, is "${vllmVersion}"`);
  const result: ModelArguments = {
    model: model ?? "",
    gpuMemoryGiB: number("gpu-memory-gib", false) ?? defaultGpuMemoryGiB,
    gpuModel: values["gpu-model"],
    tensorParallel: number("tp", true) ?? 1,
    pipelineParallel: number("pp", true) ?? 1,
    utilization: number("utilization", false),
    contextTokens: number("context", true),
    concurrency: number("concurrency", true) ?? 1,
    kvCacheDtype: kvCacheDtype ?? "auto",
    quantization: values.quantization,
    vllmVersion,
    maxNumSeqs: number("max-num-seqs", true),
    json: values.json ?? false,
  };
  return problems.length > 0 ? { problems } : result;
}

function parse(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: modelOptions, allowPositionals: true });
  } catch (error) {
    return { problems: [messageOf(error)] };
  }
}
