/**
 * Several models on one Ollama server. Its scheduler holds one copy of the same weights, and unloads models for another
 * one unless that leaves a fifth of the free memory (ollama 0.32, server/sched.go: schedulerModelKey, load).
 */

import { toGiB } from "../../names/units";
import { layerCaches } from "../../planner/memory/kv-cache";
import type { MemoryEstimate } from "../../planner/memory/types";
import type { ModelArchitecture } from "../../planner/model/architecture";
import { weightBytes } from "../../planner/model/parameters";
import type { SharedServer } from "../engine";
import type { MemoryRequest } from "../memory-request";
import type { ServedModel } from "../served-model";
import { cacheType } from "./cache-type";
import { usualFileType } from "./memory";

/** Of the free memory, what a further model may take by Ollama's own reckoning: `freeMemory*80/100` in load(). */
const PART_OF_FREE_MEMORY = 0.8;

export const ollamaSharedServer: SharedServer = { problems, reserveGiB };

/** Names that mean the same to Ollama: it adds the tag `latest` where none is given. */
function fullName(name: string): string {
  return name.split("/").pop()?.includes(":") ? name : `${name}:latest`;
}

function problems(models: readonly ServedModel[]): string[] {
  return models.flatMap((model, index) => models.slice(index + 1).flatMap((other) => clashes(model, other)));
}

function clashes(a: ServedModel, b: ServedModel): string[] {
  const [tagOfA, tagOfB] = [tagOf(a), tagOf(b)];
  if (tagOfA === tagOfB) {
    return [
      `models.${a.name} and models.${b.name} are both ${tagOfA}: Ollama loads it once, with the context of whoever asked last. Remove models.${b.name}.ollama.serverOf, or give one of them another source`,
    ];
  }
  if (cacheType(a) !== cacheType(b)) {
    return [
      `models.${a.name} and models.${b.name} have KV caches in ${cacheType(a)} and ${cacheType(b)}: a server has one for all. Write the same models.<name>.ollama.kvCacheDtype for both`,
    ];
  }
  const taken = [
    [a, tagOfB, b],
    [b, tagOfA, a],
  ] as const;
  return taken.flatMap(([model, tag, owner]) =>
    fullName(model.servedName) === tag
      ? [
          `models.${model.name}.servedName is ${JSON.stringify(model.servedName)}, which on this server is the source of models.${owner.name}. Write another servedName`,
        ]
      : [],
  );
}

function tagOf({ source }: ServedModel): string | undefined {
  return source.kind === "ollama" ? fullName(source.tag) : undefined;
}

/**
 * What must stay free beside all of them so that any of them can be loaded while the others are: at the start, and again
 * after its process fell over. Without GPUs the scheduler asks for nothing.
 */
function reserveGiB(requests: readonly MemoryRequest[], alone: readonly MemoryEstimate[]): number {
  const missing = requests.map((request, index) => {
    const stages = alone[index]?.stages ?? [];
    const takesGiB = stages.reduce((sum, { totalGiB, aboveGiB }) => sum + totalGiB + aboveGiB, 0);
    return (predictedGiB(request) / PART_OF_FREE_MEMORY - takesGiB) / Math.max(1, stages.length);
  });
  return requests.some(({ device }) => device === "cpu") ? 0 : Math.max(0, ...missing);
}

/** Ollama's own reckoning of a model on all its GPUs: its file, and the cache of every layer in full (PredictServerVRAM). */
function predictedGiB({ architecture, quantization, contextTokens, concurrency }: MemoryRequest): number {
  const { checkpointBytes } = weightBytes(architecture, quantization ?? usualFileType(architecture));
  const tokens = contextTokens * (architecture.kind === "encoder" ? 1 : concurrency);
  return toGiB(checkpointBytes + tokens * fullCacheBytesPerToken(architecture));
}

/** Encoders keep no cache, and are reckoned as if they did. */
function fullCacheBytesPerToken(architecture: ModelArchitecture): number {
  return architecture.kind === "encoder"
    ? architecture.layers * architecture.hiddenSize * 2 * 2
    : layerCaches(architecture, "bfloat16", 1).reduce((sum, { bytesPerToken }) => sum + bytesPerToken, 0);
}
