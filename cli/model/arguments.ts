/** Command line of `npm run model`: what its values mean, and whether they can. */
import { engineNames, engineVersion } from "../../engines";
import type { MemoryRequest } from "../../engines/memory-request";
import { readVllmFlags, wholeNumber } from "../../engines/vllm/flags";
import type { KvCacheDtype } from "../../planner/memory/kv-cache";
import type { ArgumentValue, EngineName } from "../../planner/types";
import { suggest } from "../../stacks/config/core/problems";
import { type Machine, machineFor } from "./machine";
import { type CommandLine, readCommandLine } from "./options";

/** The version that the platform pins. */
const defaultVllmVersion = engineVersion("vllm");

export const modelUsage = `Usage: npm run model -- <catalogue name | Hugging Face repository of one | path to config.json or its folder |
                             hf://organization/name[@revision] | s3://bucket/folder | https://host/folder> [options]

Explains one model: parameters, weights, KV cache, what fits on a GPU and why, and what would fit it. Without a card it
compares the cards of the catalogue; without a model it lists those of the catalogue. Where safetensors files lie beside
config.json, their headers are read: they give exact weights of any family. Only an address makes it ask a server, for
descriptions and headers, never for weights; HF_ENDPOINT, HF_TOKEN and the AWS_ variables count as for other commands.

  --card C             the card: its name (rtx-4090), or words of it (H200, "A100 80GB"); gives its memory, kernels and
                       scheduler defaults. --gpu and --gpu-model are the same
  --engine E           vllm (default) or ollama
  --shape S            a cloud machine (npm run list -- shapes): its GPUs, and the five-step sizing rule beside the figures;
                       lays the model out as the plan would unless --tp or --pp is given
  --gpu-memory-gib N   memory of one GPU as the driver reports it (default: of the card)
  --host-memory-gib N  Ollama on CPUs with this memory instead of a GPU
  --tp N               tensor parallelism (default 1)
  --pp N               pipeline parallelism (default 1); with Ollama the GPUs that layers are spread over
  --utilization F      --gpu-memory-utilization of vLLM (default: that of the version)
  --context N          tokens of one request: 32768, 32K (default: the model's limit, at most 8192)
  --concurrency N      requests of that length at once (default 1)
  --kv-dtype D         auto, bfloat16 or fp8 (default auto)
  --quantization Q     weight format instead of the checkpoint's own, e.g. fp8, awq; with Ollama Q4_K_M
  --vllm-version V     default ${defaultVllmVersion}
  --json               machine-readable
  -h, --help           this text

Flags of vLLM that change memory, as on its own command line: --dtype, --max-num-seqs, --max-num-batched-tokens,
--enable-chunked-prefill, --enforce-eager, --enable-expert-parallel, --language-model-only, --limit-mm-per-prompt,
--mm-encoder-tp-mode, --moe-backend.

Exit status: 0 it fits, or no machine was named; 1 it does not fit or does not start; 2 bad input.
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
  /** Flags of vLLM by name, as a configuration has them under `models.<name>.args`. */
  readonly flags: Readonly<Record<string, ArgumentValue>>;
  readonly json: boolean;
}

export interface WrongArguments {
  readonly problems: readonly string[];
  /** The model, where there is one: it may be wrong as well. */
  readonly model?: string;
}

const kvDtypes: Readonly<Record<string, KvCacheDtype>> = {
  auto: "auto",
  bfloat16: "bfloat16",
  bf16: "bfloat16",
  float16: "bfloat16",
  fp8: "fp8",
  fp8_e4m3: "fp8",
  fp8_e5m2: "fp8",
};

/** Options that Ollama decides itself. */
const vllmOnly = ["tp", "utilization", "vllm-version"] as const;

type NumberOption = Extract<
  keyof CommandLine["values"],
  "tp" | "pp" | "utilization" | "context" | "concurrency" | "gpu-memory-gib" | "host-memory-gib"
>;

/** The arguments, what else was asked for, or every problem with them. */
export function readModelArguments(argv: string[]): ModelArguments | "help" | "list" | WrongArguments {
  const line = readCommandLine(argv);
  if (line.values.help) return "help";
  if (argv.length === 0) return "list";
  const problems = [...line.problems];
  const [model = "", ...rest] = line.positionals;
  if (model === "" || rest.length > 0)
    problems.push(`expected one model, got ${line.positionals.length}; without arguments the catalogue's are listed`);
  const text = (name: keyof CommandLine["values"]) => {
    const value = line.values[name];
    return typeof value === "string" ? value : undefined;
  };
  const number = (name: NumberOption, read: (value: string) => number | undefined, allowed: string, hint = "") => {
    const given = text(name);
    const value = given === undefined ? undefined : read(given);
    if (given !== undefined && value === undefined)
      problems.push(`--${line.typed[name]} must be ${allowed}, is "${given}"${hint}`);
    return value;
  };
  const whole = (name: NumberOption, hint?: string) => number(name, wholeNumber, "a whole number above 0", hint);
  const layoutHint = ": leave it out, and what fits is named";
  const numbers = {
    tensorParallel: whole("tp", layoutHint),
    pipelineParallel: whole("pp", layoutHint),
    utilization: number("utilization", (value) => decimal(value, 1), "a share of GPU memory above 0, at most 1"),
    contextTokens: whole("context"),
    concurrency: whole("concurrency") ?? 1,
  };
  const engine = readEngine(text("engine") ?? "vllm", line, problems);
  const kvCacheDtype = readKvDtype(text("kv-dtype") ?? "auto", problems);
  const { problems: flagProblems } = readVllmFlags(line.flags);
  problems.push(...flagProblems.map(({ flag, value, allowed }) => `--${flag} must be ${allowed}, is "${value}"`));
  const vllmVersion = text("vllm-version") ?? defaultVllmVersion;
  if (!/^v?\d{1,6}(\.\d{1,6})+/.test(vllmVersion))
    problems.push(`--vllm-version must look like ${defaultVllmVersion}, is "${vllmVersion}"`);
  const machine = machineFor({
    shape: text("shape"),
    gpu: text("gpu"),
    gpuOption: line.typed.gpu,
    gpuMemoryGiB: number(
      "gpu-memory-gib",
      (value) => decimal(value, MOST_GPU_GIB),
      `GiB above 0, at most ${MOST_GPU_GIB}`,
      mebibytes,
    ),
    hostMemoryGiB: number(
      "host-memory-gib",
      (value) => decimal(value, MOST_HOST_GIB),
      `GiB above 0, at most ${MOST_HOST_GIB}`,
    ),
  });
  if ("problem" in machine) problems.push(machine.problem);
  else if (machine.device === "cpu" && engine === "vllm")
    problems.push("--host-memory-gib is for --engine ollama: vLLM runs on GPUs here");
  if (problems.length > 0 || "problem" in machine || engine === undefined)
    return { problems, ...(line.positionals.length === 1 && { model }) };
  return {
    ...numbers,
    model,
    engine: { name: engine, version: engine === "vllm" ? vllmVersion : engineVersion(engine) },
    machine,
    kvCacheDtype: kvCacheDtype ?? "auto",
    quantization: text("quantization"),
    flags: line.flags,
    json: line.values.json === true,
  };
}

function readEngine(name: string, { typed, flags }: CommandLine, problems: string[]): EngineName | undefined {
  const engine = engineNames.find((each) => each === name.toLowerCase());
  if (engine === undefined) {
    problems.push(`--engine must be one of ${engineNames.join(", ")}, is "${name}"`);
  } else if (engine === "ollama") {
    const given = [...vllmOnly.flatMap((option) => typed[option] ?? []), ...Object.keys(flags)];
    problems.push(...given.map((option) => `--${option} is an option of vLLM: Ollama decides this itself`));
  }
  return engine;
}

function readKvDtype(name: string, problems: string[]): KvCacheDtype | undefined {
  const known = Object.keys(kvDtypes);
  const found = Object.hasOwn(kvDtypes, name) ? kvDtypes[name] : undefined;
  if (found === undefined)
    problems.push(
      `--kv-dtype must be one of ${known.join(", ")}, is "${name}"; ${suggest(name, known, "auto is the model's own")}`,
    );
  return found;
}

/** Above every card and host that is sold; what is more is a number in another unit. */
const MOST_GPU_GIB = 2048;
const MOST_HOST_GIB = 65_536;

const mebibytes = ": nvidia-smi shows MiB, 1024 to a GiB";

function decimal(text: string, most: number): number | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return value > 0 && value <= most ? value : undefined;
}
