import { findModel, modelNames } from "../catalog/models";
import { gpuModels, type MachineShape } from "../catalog/shapes";
import { engineNames, engineOf } from "../engines";
import { type CardVerdict, NOTHING_TO_SAY } from "../engines/card";
import { estimateMemory, MemoryRequestError, versionProblems } from "../engines/estimate";
import type { MemoryRequest } from "../engines/memory-request";
import type { Fit } from "../planner/candidates/types";
import { machineWith } from "../planner/card-comparison";
import { fitOnMachine } from "../planner/fitting";
import { cardVerdict, cpuVerdict, unknownCardVerdict } from "../planner/hardware/verdict";
import type { Layout } from "../planner/layouts";
import { GENERATING } from "../planner/level/replica-speed";
import { compareMachines } from "../planner/machine-comparison";
import { CheckpointError } from "../planner/model/checkpoint/errors";
import { ModelConfigError } from "../planner/model/config-json";
import { formatLabel, UnknownFormatError } from "../planner/model/format-names";
import type { ModelRequest } from "../planner/request";
import { modelFilesGB } from "../planner/storage";
import type { Traffic } from "../planner/traffic";
import { weightFormatProblem, weightFormatRefusal } from "../planner/weight-format";
import { readCatalogueModel } from "../stacks/architectures";
import { type CommandIo, EXIT } from "./io";
import { modelRows } from "./list/rows";
import { modelTable } from "./list/tables";
import { adviceFor } from "./model/advice";
import { type LoadArguments, type ModelArguments, readModelArguments } from "./model/arguments";
import { BadInput } from "./model/bad-input";
import { type CatalogueFit, catalogueJson, catalogueTable } from "./model/catalogue-table";
import { comparisonJson } from "./model/comparison-json";
import { machinesToCompare } from "./model/comparison-machines";
import { comparisonText } from "./model/comparison-text";
import type { Machine } from "./model/machine";
import { modelOptions } from "./model/options";
import { type NamedModel, readModel } from "./model/read-model";
import { type Circumstances, type ModelReport, modelReport } from "./model/report";
import { reportJson } from "./model/report-json";
import { explainModel } from "./model/report-text";
import { modelUsage } from "./model/usage";
import { HubError } from "./pin/hub";

/** Default of the planned context. */
const DEFAULT_CONTEXT_TOKENS = 8192;

/**
 * nvidia-smi 24,564 MiB, 81,559 MiB and 16,303 MiB were 23.52, 79.19 and 15.48 GiB to vLLM
 * (vllm#14452, and start-up logs).
 */
const CUDA_MEMORY_NOTE =
  "the memory of a GPU is taken as CUDA reports it to processes (torch.cuda.mem_get_info): nvidia-smi shows 0.4 to 0.5 GiB more";

/** Larger replicas are no realistic deployment. */
const MOST_NODES = 8;

export const options = modelOptions;

/** Exit status; never throws for bad input. */
export async function main(
  argv: string[],
  io: Pick<CommandIo, "out" | "err">,
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const args = readModelArguments(argv);
  if (args === "help") {
    io.out(modelUsage);
    return EXIT.ok;
  }
  if (args === "list") {
    io.out(`${modelTable(modelRows())}\nnpm run model -- <name> explains one; -- --help says how\n`);
    return EXIT.ok;
  }
  if ("problems" in args) {
    const all = [...args.problems, ...(await modelProblems(args.model, env))];
    io.err(`${all.join("\n")}\nnpm run model -- --help lists the options\n`);
    return EXIT.badInput;
  }
  try {
    if ("catalogue" in args) {
      return compareCatalogue(args.catalogue, io);
    }
    if (args.traffic !== undefined) {
      return await compareFor({ ...args, traffic: args.traffic }, io, env);
    }
    const report = reportOn(args, await readModel(args.model, env));
    io.out(args.json ? `${JSON.stringify(reportJson(report), null, 2)}\n` : explainModel(report));
    return report.fits || !args.machine.isNamed ? EXIT.ok : EXIT.refused;
  } catch (error) {
    if (!isInputError(error)) {
      throw error;
    }
    io.err(`${error.message}\n`);
    return EXIT.badInput;
  }
}

/** The model's problems, when the command line already has some. */
async function modelProblems(model: string | undefined, env: NodeJS.ProcessEnv): Promise<string[]> {
  if (model === undefined) {
    return [];
  }
  try {
    await readModel(model, env);
    return [];
  } catch (error) {
    if (!isInputError(error)) {
      throw error;
    }
    return [error.message];
  }
}

function isInputError(error: unknown): error is Error {
  return [BadInput, CheckpointError, HubError, ModelConfigError, MemoryRequestError, UnknownFormatError].some(
    (type) => error instanceof type,
  );
}

/** Number of top answers to simulate, which people choose from. */
const CONFIRMED = 5;

async function compareFor(
  args: ModelArguments & { readonly traffic: Traffic },
  io: Pick<CommandIo, "out">,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const { traffic, level, concurrency, machine } = args;
  const load = loadOf(args, await readModel(args.model, env), traffic.inputTokens + traffic.outputTokens);
  const machines = machinesToCompare(machine);
  if (machines.length === 0) {
    throw new BadInput(`no machine of the catalogue has ${machine.gpuModel}: leave --card out, and all are compared`);
  }
  const model: ModelRequest = {
    ...asPlanned(args, load),
    traffic,
    derived: concurrency === undefined ? ["replicas", "concurrency"] : ["replicas"],
    ...(level && { serviceLevel: level }),
  };
  const ofClass = engineOf(args.engine.name).modelClass?.(model);
  const refusal = weightFormatRefusal(model) ?? (ofClass?.verdict === "refused" ? ofClass.reason : undefined);
  if (refusal !== undefined) {
    throw new BadInput(refusal);
  }
  const comparison = compareMachines(model, machines, CONFIRMED);
  const { label } = engineOf(args.engine.name);
  const format = formatLabel(load.architecture, load.quantization);
  const question = { model, traffic, label: `${load.architecture.name} · ${format} · ${label} ${args.engine.version}` };
  io.out(
    args.json
      ? `${JSON.stringify(comparisonJson(question, comparison), null, 2)}\n`
      : comparisonText(question, comparison),
  );
  return comparison.able.length > 0 ? EXIT.ok : EXIT.refused;
}

/** Which models of the catalogue fit on a machine, each with the default load. */
function compareCatalogue(asked: LoadArguments, io: Pick<CommandIo, "out">): number {
  const { machine, engine } = asked;
  const card = gpuModels.find(({ model }) => model === machine.gpuModel);
  const shape = machine.shape ?? (card && machineWith(card, 1));
  if (shape === undefined) {
    throw new BadInput(`no machine is known for ${machine.gpuModel}: name a --card or a --shape of the catalogue`);
  }
  const fits = modelNames().flatMap((name) => {
    const entry = findModel(name);
    if (entry === undefined) {
      return [];
    }
    return [catalogueFit({ ...asked, model: name }, { architecture: readCatalogueModel(entry), entry }, shape)];
  });
  io.out(
    asked.json
      ? `${JSON.stringify(fits.map(catalogueJson), null, 2)}\n`
      : `${catalogueTable(fits, shape, engineOf(engine.name).label)}\nnpm run model -- <name> --card … explains one\n`,
  );
  return EXIT.ok;
}

/** Formats of fewer bits than most repositories have, largest first. */
const SMALLER_FORMATS = ["fp8", "int4"];

function catalogueFit(
  args: ModelArguments,
  named: Required<Pick<NamedModel, "architecture" | "entry">>,
  shape: MachineShape,
): CatalogueFit {
  const answer = (quantization: string | undefined) => {
    const load = loadOf({ ...args, quantization }, named);
    const model = asPlanned(args, load);
    return { load, model, fit: fitOnMachine(model, shape, 1) };
  };
  const { load, fit } = answer(args.quantization);
  const own = { name: args.model, entry: named.entry, load, fit };
  if ("candidate" in fit || args.quantization !== undefined) {
    return own;
  }
  for (const quantization of SMALLER_FORMATS.filter((each) => engineOf(args.engine.name).formats.takes(each))) {
    const { model, ...smaller } = answer(quantization);
    if ("candidate" in smaller.fit && weightFormatRefusal(model) === undefined) {
      return {
        ...own,
        smaller: { ...smaller, quantization, needsCheckpoint: weightFormatProblem(model) !== undefined },
      };
    }
  }
  return own;
}

/** @param requestTokens of the longest request. */
function loadOf(args: ModelArguments, named: NamedModel, requestTokens = 1) {
  const { architecture, entry } = named;
  const { pipelineParallel: stages = 1, engine, contextTokens } = args;
  if (args.traffic !== undefined && entry !== undefined && !GENERATING.includes(entry.task)) {
    throw new BadInput(
      `--traffic is of models that make tokens (${GENERATING.join(", ")}), ${entry.name} is for ${entry.task}: leave --traffic out, or name another model`,
    );
  }
  if (stages > architecture.layers) {
    throw new BadInput(`--pp ${stages} exceeds the ${architecture.layers} layers of the model: write at most as many`);
  }
  const most = architecture.maxContextTokens;
  if (requestTokens > (contextTokens ?? most)) {
    throw new BadInput(
      `--traffic in and out are ${requestTokens} tokens together, more than ${contextTokens === undefined ? `the ${most} that the model knows` : `--context ${contextTokens}`}: lower them${contextTokens === undefined ? "" : `, or write --context ${requestTokens}`}`,
    );
  }
  return {
    architecture,
    engine,
    contextTokens: contextTokens ?? Math.min(most, Math.max(DEFAULT_CONTEXT_TOKENS, requestTokens)),
    concurrency: args.concurrency ?? 1,
    kvCacheDtype: args.kvCacheDtype,
    quantization: quantizationFor(args, named),
  };
}

/** @throws BadInput, MemoryRequestError, UnknownFormatError */
export function reportOn(args: ModelArguments, named: NamedModel): ModelReport {
  const { report, model } = answerOn(args, named);
  // no advice for loads of unknown size, nor for models that may start on no machine
  const isHopeless = versionProblems(report.request.engine).length > 0 || weightFormatRefusal(model) !== undefined;
  return report.unknown === undefined && report.unread === undefined && !isHopeless
    ? { ...report, advice: adviceFor(report, model, args.machine) }
    : report;
}

/** Without advice, which takes most of the time; and the model as planned. */
export function answerOn(args: ModelArguments, named: NamedModel) {
  const { machine } = args;
  const load = loadOf(args, named);
  const model = asPlanned(args, load);
  const placed = machine.shape && fitOnMachine(model, machine.shape, machine.nodes ?? MOST_NODES);
  const found = placed && ("candidate" in placed ? placed.candidate.layout : placed.refusal.layout);
  const request: MemoryRequest = {
    ...load,
    device: machine.device,
    gpuMemoryGiB: machine.memoryGiB,
    gpuModel: machine.gpuModel,
    ...layoutOf(args, found),
    utilization: args.utilization,
    args: args.flags,
  };
  return { report: modelReport(request, estimateMemory(request), circumstances(args, model, placed)), model };
}

/** Start conditions other than memory, as in a plan. */
function circumstances({ machine }: ModelArguments, model: ModelRequest, placed: Fit | undefined): Circumstances {
  const { refusals, notes, unread } = verdictOn(machine, model);
  const reasons = refusals.map(({ reason }) => reason);
  const noLayout = placed && "refusal" in placed && !placed.refusal.layout ? [placed.refusal.reason] : [];
  // A missing format is a valid question here: what would a sibling in it need?
  const refusal = weightFormatRefusal(model);
  const format = refusal === undefined ? weightFormatProblem(model) : undefined;
  const ofClass = engineOf(model.engine).modelClass?.(model);
  const refused = [
    ...reasons,
    ...(refusal === undefined ? [] : [refusal]),
    ...(ofClass?.verdict === "refused" ? [ofClass.reason] : []),
  ];
  return {
    refused: refused.length > 0 ? refused : noLayout,
    ...(unread && { unread: unread.reason }),
    notes: [
      ...(machine.isNamed ? [] : [`no card is named (--card): the figures are for ${machine.gpuModel}`]),
      ...(machine.saysGpuMemory ? [CUDA_MEMORY_NOTE] : []),
      ...(machine.others?.length ? [`${machine.gpuModel} is meant, not ${machine.others.join(" or ")}`] : []),
      ...notes,
      ...(ofClass?.verdict === "doubtful" ? [ofClass.reason] : []),
      ...(reasons.length > 0 ? enginesThere(machine) : []),
      ...(format ? [`in a plan this takes a checkpoint of its own: ${format.message}`] : []),
    ],
    ...(format === undefined && { filesGB: modelFilesGB(model) }),
  };
}

function verdictOn({ gpu, device }: Machine, model: ModelRequest): CardVerdict {
  if (device === "gpu") {
    return gpu ? cardVerdict(model, gpu) : unknownCardVerdict(model);
  }
  // Without a CPU model, only support by the release is known.
  const { unread } = cpuVerdict(model, "amd64");
  return { ...NOTHING_TO_SAY, ...(unread && { unread }) };
}

/** Engines for a card that refuses this one; known for AMD's cards. */
function enginesThere({ gpu }: Machine): string[] {
  if (gpu?.support === undefined) {
    return [];
  }
  const { engines } = gpu.support;
  return [
    engines.length === 0
      ? `no engine here serves on ${gpu.model}`
      : `what serves on ${gpu.model}: ${engines.map((engine) => `--engine ${engine}`).join(", ")}`,
  ];
}

function layoutOf({ tensorParallel, pipelineParallel }: ModelArguments, found: Layout | undefined) {
  const isPinned = tensorParallel !== undefined || pipelineParallel !== undefined;
  return {
    tensorParallel: tensorParallel ?? (isPinned ? 1 : (found?.tensorParallel ?? 1)),
    pipelineParallel: pipelineParallel ?? (isPinned ? 1 : (found?.pipelineParallel ?? 1)),
  };
}

/** @throws BadInput for another engine's format. */
function quantizationFor({ engine, quantization }: ModelArguments, { architecture, entry }: NamedModel) {
  const { formats, usualFormat, defaultQuantization } = engineOf(engine.name);
  if (quantization === undefined) {
    return entry?.builds?.[engine.name]?.[0]?.quantization ?? usualFormat?.(architecture) ?? defaultQuantization;
  }
  const other = engineNames.find((name) => engineOf(name).formats.takes(quantization));
  if (!formats.takes(quantization) && other !== undefined) {
    throw new BadInput(
      `--quantization ${quantization} is a format of ${other}: add --engine ${other}, or npm run list -- engines`,
    );
  }
  return quantization;
}

/** The question as a plan's, to find machines. */
function asPlanned(
  { model, engine, tensorParallel, pipelineParallel, utilization, flags }: ModelArguments,
  load: Pick<MemoryRequest, "architecture" | "contextTokens" | "concurrency" | "kvCacheDtype" | "quantization">,
): ModelRequest {
  return {
    ...load,
    name: model,
    servedName: model,
    engine: engine.name,
    engineVersion: engine.version,
    task: "chat",
    source: { kind: "huggingface", repository: model, revision: "main" },
    loading: "copy",
    minReplicas: 1,
    maxReplicas: 1,
    tensorParallel,
    pipelineParallel,
    gpuMemoryUtilization: utilization,
    args: flags,
  };
}
