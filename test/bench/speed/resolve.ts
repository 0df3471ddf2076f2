/** From a row's names to what the speed model takes: architecture, card, division over GPUs. */

import type { ModelArchitecture } from "../../../planner/model/architecture";
import { readModelConfig } from "../../../planner/model/config-json";
import { UnknownFormatError } from "../../../planner/model/format-names";
import type { ConstantKeys } from "../../../planner/speed/constants";
import type { CardFamily, CardSpeed, LinkSpeed, ReplicaSetup, RequestShape } from "../../../planner/speed/types";
import { type ModelWork, modelWork } from "../../../planner/speed/work";
import cardTable from "./cards.json";
import modelTable from "./models.json";
import type { Measured } from "./rows";

/** A row that can be answered: all but what the constants give. */
export interface Resolved {
  readonly row: Measured;
  readonly keys: ConstantKeys;
  readonly setup: Omit<ReplicaSetup, "coefficients">;
  readonly shape: RequestShape;
  /** Servers that share the load. */
  readonly replicas: number;
}

export interface Unanswered {
  readonly row: Measured;
  readonly reason: string;
}

interface Card extends CardSpeed {
  readonly memoryGB: number;
  readonly link: LinkSpeed;
}

export function resolve(row: Measured): Resolved | Unanswered {
  const architecture = architectureOf(row.model);
  if (architecture === undefined) {
    return { row, reason: `nobody wrote down the dimensions of ${row.model}` };
  }
  const card = cardOf(row.gpu);
  if (card === undefined) {
    return { row, reason: `nobody wrote down the figures of ${row.gpu}` };
  }
  try {
    return resolved(row, architecture, card);
  } catch (error) {
    if (error instanceof UnknownFormatError) {
      return { row, reason: error.message };
    }
    throw error;
  }
}

function resolved(row: Measured, architecture: ModelArchitecture, card: Card): Resolved {
  const attentionGroups = /attention DP/i.test(row.notes) ? (row.dataParallel ?? 1) : 1;
  const pipelineParallel = row.pipelineParallel;
  const tensorParallel = row.tensorParallel ?? leastTensorParallel(row, architecture, card);
  const perReplica = tensorParallel * pipelineParallel * attentionGroups;
  const replicas = Math.max(1, row.gpus / perReplica);
  const expertParallel = Math.min(
    perReplica,
    Math.max(row.expertParallel, attentionGroups * tensorParallel * Number(attentionGroups > 1)),
  );
  const kvCacheDtype = cacheDtypeOf(row, card);
  const work = modelWork(architecture, { quantization: formatOf(row), kvCacheDtype, tensorParallel });
  const year = engineYear(row);
  const engine = { name: kernelsOf(row.engine), ...(year !== undefined && { version: year }) };
  const link = perReplica > 1 ? card.link : undefined;
  const shape = shapeOf(row);
  const most = mostSequences(row);
  return {
    row,
    keys: { family: card.family, engine, ...(link !== undefined && { link: link.kind }) },
    setup: {
      work,
      card,
      ...(link !== undefined && { link }),
      engine,
      tensorParallel,
      pipelineParallel,
      ...(attentionGroups > 1 && { attentionDataParallel: attentionGroups }),
      ...(expertParallel > 1 && { expertParallel }),
      kvTokens: kvTokensOf(work, card, shape, { tensorParallel, pipelineParallel, attentionGroups }),
      ...(most !== undefined && { maxNumSeqs: most }),
    },
    shape,
    replicas,
  };
}

/** Runs of InferenceX draw lengths from 80 to 100 % of the figure. */
function shapeOf({ source, inputTokens, outputTokens }: Measured): RequestShape {
  const share = source === "inferencex" ? 0.9 : 1;
  return {
    inputTokens: Math.max(1, inputTokens * share),
    outputTokens: Math.max(1, outputTokens * share),
    sharedPrefixTokens: 0,
    lengthVariation: 0.1,
  };
}

/** Names of formats in the rows, as the planner calls them. */
function formatOf({ quantization, model }: Measured): string {
  if (quantization === "fp4") {
    return "nvfp4";
  }
  if (quantization === "f16") {
    return "fp16";
  }
  if (quantization === "f32") {
    return "fp32";
  }
  // Checkpoints with MXFP4 experts and the rest in 16 bits, and those whose experts alone have 4 bits.
  if (quantization === "mxfp4" || (quantization === "int4" && /^Kimi/.test(model))) {
    return quantization;
  }
  return /^(i?q\d|tq\d)/.test(quantization) ? quantization.toUpperCase() : quantization;
}

/** What servers are usually told, where the row does not say. */
function cacheDtypeOf({ notes, engine, quantization, source }: Measured, card: Card): "auto" | "fp8" {
  const is8 = quantization === "fp8" || quantization === "fp4";
  return /fp8 KV/i.test(notes) ||
    (is8 && (engine === "trtllm" || source === "mlperf" || card.family === "blackwell-dc"))
    ? "fp8"
    : "auto";
}

function kernelsOf(engine: string): string {
  return engine === "ollama" || engine === "llamacpp" ? "llama.cpp" : engine === "tensorrt-llm" ? "trtllm" : engine;
}

/** Version, or the year of a round of MLPerf or of the row where there is none. */
function engineYear({ engineVersion, date }: Measured): string | undefined {
  const round = /^mlperf-(\d)/.exec(engineVersion)?.[1];
  if (round !== undefined) {
    return String(2020 + Number(round));
  }
  if (/^\d/.test(engineVersion)) {
    return engineVersion;
  }
  return /^20\d\d(?!\.\.)/.exec(date)?.[0];
}

/**
 * What engines run at once where nobody says more, in offline runs: vLLM 256, TensorRT-LLM 2,048 (`max_num_seqs` and
 * `max_batch_size` in their documentation). Runs for MLPerf are told what the cache holds.
 */
function mostSequences({ notes, engine, load, source }: Measured): number | undefined {
  const told = /max_num_seqs (\d+)/.exec(notes)?.[1];
  if (told !== undefined) {
    return Number(told);
  }
  return load.kind === "max" && source !== "mlperf" ? USUAL_SEQUENCES[kernelsOf(engine)] : undefined;
}

const USUAL_SEQUENCES: Readonly<Record<string, number | undefined>> = { vllm: 256, trtllm: 2048 };

/** As many GPUs as leave a third of their memory to the cache. */
function leastTensorParallel(row: Measured, architecture: ModelArchitecture, card: Card): number {
  const work = modelWork(architecture, { quantization: formatOf(row), tensorParallel: 1 });
  const fits = [1, 2, 4, 8, 16].find((gpus) => weightBytesOf(work) / gpus < 0.65e9 * card.memoryGB);
  return Math.min(fits ?? row.gpus, row.gpus);
}

function weightBytesOf({ dense, experts, head }: ModelWork): number {
  return dense.bytes + (experts?.bytes ?? 0) + 2 * head.bytes;
}

interface Division {
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  readonly attentionGroups: number;
}

/** Nine tenths of the memory less weights and 2 GB of activations, in tokens of this length; all attention groups together. */
function kvTokensOf(
  work: ModelWork,
  card: Card,
  { inputTokens, outputTokens }: RequestShape,
  division: Division,
): number {
  const { tensorParallel, pipelineParallel, attentionGroups } = division;
  const attention = (work.dense.bytes + 2 * work.head.bytes) / tensorParallel;
  const weights = (attention + (work.experts?.bytes ?? 0) / tensorParallel / attentionGroups) / pipelineParallel;
  const context = Math.max(1, inputTokens + outputTokens / 2);
  const perSequence = work.caches.reduce(
    (sum, { bytesPerToken, mostTokens = Number.POSITIVE_INFINITY }) =>
      sum + bytesPerToken * Math.min(context, mostTokens),
    work.stateBytes / 2,
  );
  const pool = Math.max(0.05 * card.memoryGB * 1e9, 0.9 * card.memoryGB * 1e9 - weights - 2e9);
  return (attentionGroups * pool * context) / (perSequence / pipelineParallel);
}

const architectures = new Map<string, ModelArchitecture>();
const modelsByName = byName(modelTable.models);

/** @returns undefined for models that nobody wrote down */
export function architectureOf(name: string): ModelArchitecture | undefined {
  const model = modelsByName.get(keyOf(name)) ?? modelsByName.get(keyOf(plainName(name)));
  if (model === undefined) {
    return undefined;
  }
  const known = architectures.get(model.name) ?? readModelConfig(model.config, { name: model.name });
  architectures.set(model.name, known);
  return known;
}

/** The name that a model's dimensions are kept under. */
export function modelName(name: string): string {
  return (modelsByName.get(keyOf(name)) ?? modelsByName.get(keyOf(plainName(name))))?.name ?? name;
}

const cardsByName = byName(cardTable.cards);

function cardOf(name: string): Card | undefined {
  const row = cardsByName.get(keyOf(name)) ?? cardsByName.get(keyOf(name.replace(/-\d+(GB)?$/i, "")));
  if (row === undefined) {
    return undefined;
  }
  const { dense16, dense8, dense4 } = row as { dense16: number; dense8?: number; dense4?: number };
  return {
    name: row.name,
    family: row.family as CardFamily,
    memoryGBs: row.memoryGBs,
    memoryGB: row.memoryGB,
    tflops: { dense16, ...(dense8 !== undefined && { dense8 }), ...(dense4 !== undefined && { dense4 }) },
    link: row.link as LinkSpeed,
  };
}

function byName<T extends { readonly name: string; readonly aliases?: readonly string[] }>(
  rows: readonly T[],
): Map<string, T> {
  return new Map(rows.flatMap((row) => [row.name, ...(row.aliases ?? [])].map((name) => [keyOf(name), row] as const)));
}

function keyOf(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, "");
}

/** Without its owner, and without what tuning and packing add. */
function plainName(name: string): string {
  return name
    .replace(/^.*\//, "")
    .replace(/^Meta-/i, "")
    .replace(
      /-(instruct|chat|it|hf|base|fp8|fp4|nvfp4|awq|gptq|bf16|thinking|dynamic|v\d+(\.\d+)?|\d{4})(?=-|$)/gi,
      "",
    );
}
