/** Command line of `npm run model`: meaning and validity of values. */
import { type EngineName, engineNames, engineOf, engineVersion, readFlags } from "../../engines";
import type { MemoryRequest } from "../../engines/memory-request";
import { wholeNumber } from "../../names/whole-number";
import type { KvCacheDtype } from "../../planner/memory/kv-cache";
import type { ServiceLevel } from "../../planner/service-level";
import type { Traffic } from "../../planner/traffic";
import type { ArgumentValue } from "../../planner/types";
import { suggest } from "../../stacks/config/core/problems";
import { readLevel, readTraffic } from "./load-options";
import { type Machine, machineFor } from "./machine";
import { type CommandLine, enginesOn, enginesTaking, readCommandLine } from "./options";

/** What a model is asked to do, and where. */
export interface LoadArguments {
  readonly engine: MemoryRequest["engine"];
  readonly machine: Machine;
  readonly tensorParallel?: number;
  readonly pipelineParallel?: number;
  readonly utilization?: number;
  readonly contextTokens?: number;
  readonly concurrency?: number;
  /** To compare machines by the cost of answering it. */
  readonly traffic?: Traffic;
  readonly level?: ServiceLevel;
  readonly kvCacheDtype: KvCacheDtype;
  readonly quantization?: string;
  /** Engine flags by name, as under `models.<name>.args`. */
  readonly flags: Readonly<Record<string, ArgumentValue>>;
  readonly json: boolean;
}

export interface ModelArguments extends LoadArguments {
  readonly model: string;
}

export interface WrongArguments {
  readonly problems: readonly string[];
  /** The model, if any: it may be wrong too. */
  readonly model?: string;
}

const KV_DTYPES: Readonly<Record<string, KvCacheDtype>> = {
  auto: "auto",
  bfloat16: "bfloat16",
  bf16: "bfloat16",
  float16: "bfloat16",
  fp8: "fp8",
  fp8_e4m3: "fp8",
  fp8_e5m2: "fp8",
};

type NumberOption = Extract<
  keyof CommandLine["values"],
  "tp" | "pp" | "gpus" | "utilization" | "context" | "concurrency" | "gpu-memory-gib" | "host-memory-gib"
>;

/** Arguments, those of a question about all models of the catalogue, other requests, or all problems. */
export function readModelArguments(
  argv: string[],
): ModelArguments | { readonly catalogue: LoadArguments } | "help" | "list" | WrongArguments {
  const line = readCommandLine(argv);
  if (line.values.help) {
    return "help";
  }
  if (argv.length === 0) {
    return "list";
  }
  const problems = [...line.problems];
  const [model, ...rest] = line.positionals;
  const text = (name: keyof CommandLine["values"]) => {
    const value = line.values[name];
    return typeof value === "string" ? value : undefined;
  };
  const number = (name: NumberOption, read: (value: string) => number | undefined, allowed: string, hint = "") => {
    const given = text(name);
    const value = given === undefined ? undefined : read(given);
    if (given !== undefined && value === undefined) {
      problems.push(`--${line.typed[name]} must be ${allowed}, is "${given}"${hint}`);
    }
    return value;
  };
  const whole = (name: NumberOption, hint?: string) => number(name, wholeNumber, "a whole number above 0", hint);
  const layoutHint = ": leave it out, and what fits is named";
  const numbers = {
    tensorParallel: whole("tp", layoutHint),
    pipelineParallel: whole("pp", layoutHint),
    utilization: number("utilization", (value) => decimal(value, 1), "a share of GPU memory above 0, at most 1"),
    contextTokens: whole("context"),
    concurrency: whole("concurrency"),
  };
  const engine = readEngine(text("engine") ?? engineNames[0], line, problems);
  const kvCacheDtype = readKvDtype(text("kv-dtype") ?? "auto", problems);
  problems.push(...flagProblems(line, engine));
  const pinned = engineVersion(engine ?? engineNames[0]);
  const version = text("engine-version") ?? pinned;
  if (!/^v?\d{1,6}(\.\d{1,6})+/.test(version)) {
    problems.push(`--${line.typed["engine-version"]} must look like ${pinned}, is "${version}"`);
  }
  const machine = machineFor({
    shape: text("shape"),
    gpu: text("gpu"),
    gpuOption: line.typed.gpu,
    gpus: whole("gpus"),
    gpuMemoryGiB: number(
      "gpu-memory-gib",
      (value) => decimal(value, MOST_GPU_GIB),
      `GiB above 0, at most ${MOST_GPU_GIB}`,
      MEBIBYTES,
    ),
    hostMemoryGiB: number(
      "host-memory-gib",
      (value) => decimal(value, MOST_HOST_GIB),
      `GiB above 0, at most ${MOST_HOST_GIB}`,
    ),
  });
  if ("problem" in machine) {
    problems.push(machine.problem);
  } else if (machine.device === "cpu" && engine !== undefined && !enginesOn("cpu").includes(engine)) {
    problems.push(
      `--host-memory-gib is for --engine ${enginesOn("cpu").join(" or ")}: ${engineOf(engine).label} runs on GPUs here`,
    );
  }
  const load = readLoad(text("traffic"), text("level"), problems);
  if (load.traffic !== undefined && (text("gpu-memory-gib") ?? text("host-memory-gib")) !== undefined) {
    problems.push(
      "--traffic compares machines of the catalogue: name a --shape or a --card, or neither, and no memory",
    );
  }
  const isOfCatalogue = line.positionals.length === 0 && "gpu" in machine && machine.isNamed && !machine.saysGpuMemory;
  if (rest.length > 0 || model === "" || (model === undefined && (!isOfCatalogue || load.traffic !== undefined))) {
    problems.unshift(
      `expected one model, got ${line.positionals.length}; without arguments the catalogue's are listed, with --card or --shape alone those that fit`,
    );
  }
  if (problems.length > 0 || "problem" in machine || engine === undefined) {
    return { problems, ...(line.positionals.length === 1 && { model }) };
  }
  const asked = {
    ...numbers,
    ...load,
    engine: { name: engine, version },
    machine,
    kvCacheDtype: kvCacheDtype ?? "auto",
    quantization: text("quantization"),
    flags: line.flags,
    json: line.values.json === true,
  };
  return model === undefined ? { catalogue: asked } : { ...asked, model };
}

function readLoad(
  traffic: string | undefined,
  level: string | undefined,
  problems: string[],
): Pick<ModelArguments, "traffic" | "level"> {
  if (traffic === undefined && level !== undefined) {
    problems.push("--level is kept for --traffic: add it, for example --traffic rps=2,in=1000,out=300");
  }
  const read = {
    traffic: traffic === undefined ? undefined : readTraffic(traffic, problems),
    level: level === undefined ? undefined : readLevel(level, problems),
  };
  return {
    ...(read.traffic !== undefined && { traffic: read.traffic }),
    ...(read.level !== undefined && { level: read.level }),
  };
}

function readEngine(name: string, { typed, flags }: CommandLine, problems: string[]): EngineName | undefined {
  const engine = engineNames.find((each) => each === name.toLowerCase());
  if (engine === undefined) {
    problems.push(`--engine must be one of ${engineNames.join(", ")}, is "${name}"`);
  } else {
    const given = [...Object.values(typed), ...Object.keys(flags)];
    const others = given.filter((option) => !enginesTaking(option).includes(engine));
    problems.push(
      ...others.map((option) => {
        const takers = enginesTaking(option).map((each) => engineOf(each).label);
        return `--${option} is an option of ${takers.join(" or ")}: ${engineOf(engine).label} decides this itself`;
      }),
    );
  }
  return engine;
}

/** Invalid flag values of the engine, or of every engine with the flag where it is unknown. */
function flagProblems({ flags }: CommandLine, engine: EngineName | undefined): string[] {
  const readings = (engine === undefined ? engineNames : [engine]).flatMap((name) => readFlags(name, flags).problems);
  return readings.map(({ flag, allowed }) => `--${flag} must be ${allowed}, is "${flags[flag]}"`);
}

function readKvDtype(name: string, problems: string[]): KvCacheDtype | undefined {
  const known = Object.keys(KV_DTYPES);
  const found = Object.hasOwn(KV_DTYPES, name) ? KV_DTYPES[name] : undefined;
  if (found === undefined) {
    problems.push(
      `--kv-dtype must be one of ${known.join(", ")}, is "${name}"; ${suggest(name, known, "auto is the model's own")}`,
    );
  }
  return found;
}

/** More than any card or host: a number in another unit. */
const MOST_GPU_GIB = 2048;
const MOST_HOST_GIB = 65_536;

const MEBIBYTES = ": nvidia-smi shows MiB, 1024 to a GiB";

function decimal(text: string, most: number): number | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return value > 0 && value <= most ? value : undefined;
}
