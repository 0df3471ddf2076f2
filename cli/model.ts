/** `npm run model`: explains one model. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { findModel, modelNames } from "../catalog/models";
import { estimateMemory, MemoryRequestError } from "../planner/memory/estimate";
import type { MemoryRequest } from "../planner/memory/types";
import type { ModelArchitecture } from "../planner/model/architecture";
import { ModelConfigError, parseConfigJson, parseModelConfigText } from "../planner/model/config-json";
import { UnknownFormatError } from "../planner/model/format-names";
import { type CommandIo, EXIT, messageOf } from "./io";
import { type ModelArguments, modelOptions, modelUsage, readModelArguments } from "./model-arguments";
import { explainModel, type ModelReport, modelReport, reportJson } from "./report/model";

/** The largest context to plan for when none is given. */
const defaultContextTokens = 8192;

/** Input that the user can correct; its message is all they see. */
class BadInput extends Error {}

export const options = modelOptions;

/** Runs the command; returns its exit status and never throws for bad input. */
export async function main(argv: string[], io: Pick<CommandIo, "out" | "err">): Promise<number> {
  const args = readModelArguments(argv);
  if (args === "help") {
    io.out(modelUsage);
    return EXIT.ok;
  }
  if ("problems" in args) {
    io.err(`${args.problems.join("\n")}\n\n${modelUsage}`);
    return EXIT.badInput;
  }
  try {
    const report = reportFor(args);
    io.out(args.json ? `${JSON.stringify(reportJson(report), null, 2)}\n` : explainModel(report));
    return EXIT.ok;
  } catch (error) {
    if (!isInputError(error)) throw error;
    io.err(`${error.message}\n`);
    return EXIT.badInput;
  }
}

function isInputError(error: unknown): error is Error {
  return [BadInput, ModelConfigError, MemoryRequestError, UnknownFormatError].some((type) => error instanceof type);
}

function reportFor(args: ModelArguments): ModelReport {
  const architecture = readArchitecture(args.model);
  const request: MemoryRequest = {
    architecture,
    engine: { name: "vllm", version: args.vllmVersion },
    gpuMemoryGiB: args.gpuMemoryGiB,
    gpuModel: args.gpuModel,
    tensorParallel: args.tensorParallel,
    pipelineParallel: args.pipelineParallel,
    contextTokens: args.contextTokens ?? Math.min(architecture.maxContextTokens, defaultContextTokens),
    concurrency: args.concurrency,
    kvCacheDtype: args.kvCacheDtype,
    quantization: args.quantization,
    utilization: args.utilization,
    maxNumSeqs: args.maxNumSeqs,
  };
  return modelReport(request, estimateMemory(request));
}

/** A file wins over a catalogue name; a folder stands for the config.json in it. */
function readArchitecture(model: string): ModelArchitecture {
  const path = existsSync(model) && statSync(model).isDirectory() ? join(model, "config.json") : model;
  if (existsSync(path)) return readConfigFile(path, model);
  const entry = findModel(model);
  if (entry !== undefined) return readConfigFile(entry.configPath, entry.name);
  throw new BadInput(
    `"${model}" is neither a file nor a model of the catalogue; give the path of a config.json or one of: ${modelNames().join(", ")}`,
  );
}

function readConfigFile(path: string, name: string): ModelArchitecture {
  const quantizationPath = join(dirname(path), "hf_quant_config.json");
  const quantization = existsSync(quantizationPath)
    ? parseConfigJson(readText(quantizationPath), quantizationPath)
    : undefined;
  return parseModelConfigText(readText(path), { name, quantization });
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new BadInput(`${path} cannot be read: ${messageOf(error)}`);
  }
}
