/**
 * Several models on one Ollama server. Its scheduler keeps one copy of equal weights, and unloads
 * models unless a fifth of free memory remains (ollama 0.32, server/sched.go: schedulerModelKey,
 * load).
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

/** Share of free memory for a further model in Ollama's estimate: `freeMemory*80/100` in load(). */
const PART_OF_FREE_MEMORY = 0.8;

export const ollamaSharedServer: SharedServer = { problems, reserveGiB };

/** Equal names for Ollama, which adds the tag `latest` if missing. */
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
      `models.${a.name} and models.${b.name} are both ${tagOfA}: Ollama loads it once, with the context of the last request. Remove models.${b.name}.ollama.serverOf, or give one of them another source`,
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
 * Free memory required to load any model while the others are loaded. Without GPUs the scheduler
 * checks nothing.
 */
function reserveGiB(requests: readonly MemoryRequest[], alone: readonly MemoryEstimate[]): number {
  const missing = requests.map((request, index) => {
    const stages = alone[index]?.stages ?? [];
    const takesGiB = stages.reduce((sum, { totalGiB, aboveGiB }) => sum + totalGiB + aboveGiB, 0);
    return (predictedGiB(request) / PART_OF_FREE_MEMORY - takesGiB) / Math.max(1, stages.length);
  });
  return requests.some(({ device }) => device === "cpu") ? 0 : Math.max(0, ...missing);
}

/**
 * Ollama's estimate of a model on all GPUs: its file, and every layer's full cache
 * (PredictServerVRAM).
 */
function predictedGiB({ architecture, quantization, contextTokens, concurrency }: MemoryRequest): number {
  const { checkpointBytes } = weightBytes(architecture, quantization ?? usualFileType(architecture));
  const tokens = contextTokens * (architecture.kind === "encoder" ? 1 : concurrency);
  return toGiB(checkpointBytes + tokens * fullCacheBytesPerToken(architecture));
}

/** Ollama's estimate includes a cache for encoders, which have none. */
function fullCacheBytesPerToken(architecture: ModelArchitecture): number {
  return architecture.kind === "encoder"
    ? architecture.layers * architecture.hiddenSize * 2 * 2
    : layerCaches(architecture, "bfloat16", 1).reduce((sum, { bytesPerToken }) => sum + bytesPerToken, 0);
}
