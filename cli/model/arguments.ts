/** Command line of `npm run model`: reading and checking. */
import { parseArgs } from "node:util";
import { engineVersion } from "../../catalog/engines";
import type { KvCacheDtype } from "../../planner/memory/kv-cache";
import type { MemoryRequest } from "../../planner/memory/types";
import type { EngineName } from "../../planner/types";
import { messageOf } from "../io";
import { type Machine, machineFor } from "./machine";

/** The version that the platform pins. */
const defaultVllmVersion = engineVersion("vllm");

export const modelUsage = `Usage: npm run model -- <catalogue name | Hugging Face repository of one | path to config.json> [options]

Explains one model: parameters, weights, KV cache, what fits on a GPU and why, and what would fit it. Without a model it
lists those of the catalogue.

  --engine E           vllm (default) or ollama
  --gpu S              the card: a card's name (rtx-4090), or words of it (H200, "A100 80GB"); gives its memory, kernels and
                       scheduler defaults. --gpu-model is the same
  --shape S            a cloud machine (npm run list -- shapes): its GPUs, and the five-step sizing rule beside the figures;
                       lays the model out as the plan would unless --tp or --pp is given
  --gpu-memory-gib N   memory of one GPU as the driver reports it (default: of the card; 79.19, an 80 GB H100, without one)
  --host-memory-gib N  Ollama on CPUs with this memory instead of a GPU
  --tp N               tensor parallelism (default 1)
  --pp N               pipeline parallelism (default 1); with Ollama the GPUs that layers are spread over
  --utilization F      --gpu-memory-utilization of vLLM (default: that of the version)
  --context N          tokens of one request (default: the model's limit, at most 8192)
  --concurrency N      requests of that length at once (default 1)
  --kv-dtype D         auto, bfloat16 or fp8 (default auto)
  --quantization Q     weight format instead of the checkpoint's own, e.g. fp8, awq; with Ollama Q4_K_M
  --vllm-version V     default ${defaultVllmVersion}
  --max-num-seqs N     --max-num-seqs of vLLM (default: that of the card)
  --json               machine-readable
  -h, --help           this text

Exit status: 0 it fits, 1 it does not fit or does not start, 2 bad input.
`;

export interface ModelArguments {
  readonly model: string;
  readonly engine: MemoryRequest["engine"];
  readonly machine: Machine;
  readonly tensorParallel?: number;
  readonly pipelineParallel?: number;
  readonly utilization?: number;
  readonly contextTokens?: number;
  readonly concurrency: number;
  readonly kvCacheDtype: KvCacheDtype;
  readonly quantization?: string;
  readonly maxNumSeqs?: number;
  readonly json: boolean;
}

const engines: readonly EngineName[] = ["vllm", "ollama"];

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
  engine: { type: "string" },
  gpu: { type: "string" },
  "gpu-model": { type: "string" },
  shape: { type: "string" },
  "gpu-memory-gib": { type: "string" },
  "host-memory-gib": { type: "string" },
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

/** Options that Ollama decides itself. */
const vllmOnly = ["tp", "utilization", "vllm-version", "max-num-seqs"] as const;

/** The arguments, what else was asked for, or every problem with them. */
export function readModelArguments(
  argv: string[],
): ModelArguments | "help" | "list" | { readonly problems: readonly string[] } {
  const parsed = parse(argv);
  if ("problems" in parsed) return parsed;
  const { values, positionals } = parsed;
  if (values.help) return "help";
  if (argv.length === 0) return "list";
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
  const engine = engines.find((name) => name === (values.engine ?? "vllm"));
  if (engine === undefined) problems.push(`--engine must be one of ${engines.join(", ")}, is "${values.engine}"`);
  if (engine === "ollama") {
    const given = vllmOnly.filter((name) => values[name] !== undefined);
    problems.push(...given.map((name) => `--${name} is an option of vLLM: Ollama decides this itself`));
  }
  const kvCacheDtype = Object.hasOwn(kvDtypes, values["kv-dtype"] ?? "auto")
    ? kvDtypes[values["kv-dtype"] ?? "auto"]
    : undefined;
  if (kvCacheDtype === undefined)
    problems.push(`--kv-dtype must be one of ${Object.keys(kvDtypes).join(", ")}, is "${values["kv-dtype"]}"`);
  const vllmVersion = values["vllm-version"] ?? defaultVllmVersion;
  if (!/^v?\d{1,6}(\.\d{1,6})+/.test(vllmVersion))
    problems.push(`--vllm-version must look like ${defaultVllmVersion}, is "${vllmVersion}"`);
  const machine = machineFor({
    shape: values.shape,
    gpu: values.gpu ?? values["gpu-model"],
    gpuMemoryGiB: number("gpu-memory-gib", false),
    hostMemoryGiB: number("host-memory-gib", false),
  });
  if ("problem" in machine) problems.push(machine.problem);
  else if (machine.device === "cpu" && engine === "vllm")
    problems.push("--host-memory-gib is for --engine ollama: vLLM runs on GPUs here");
  const numbers = {
    tensorParallel: number("tp", true),
    pipelineParallel: number("pp", true),
    utilization: number("utilization", false),
    contextTokens: number("context", true),
    concurrency: number("concurrency", true) ?? 1,
    maxNumSeqs: number("max-num-seqs", true),
  };
  if (problems.length > 0 || "problem" in machine || engine === undefined) return { problems };
  return {
    ...numbers,
    model: model ?? "",
    engine: { name: engine, version: engine === "vllm" ? vllmVersion : engineVersion(engine) },
    machine,
    kvCacheDtype: kvCacheDtype ?? "auto",
    quantization: values.quantization,
    json: values.json ?? false,
  };
}

function parse(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: modelOptions, allowPositionals: true });
  } catch (error) {
    return { problems: [messageOf(error)] };
  }
}
