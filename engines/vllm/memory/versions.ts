/** Memory constants of vLLM by version, and their measurements. */
import type { GpuModel } from "../../../catalog/shapes";
import { compareVersions } from "../../../names/versions";
import type { Mxfp4Rules } from "./expert-kernels";
import type { ModelRunner, SecondRunner } from "./model-runner";
import table from "./versions.json";

/** GiB by number of tensor parallel GPUs; stages: pipeline stages without tensor parallelism. */
export interface NonTorchMemory {
  readonly 1: number;
  readonly 2: number;
  readonly 4: number;
  readonly stages: number;
}

/** Installation source: the official image, as deployed here, or pip without extras. */
export type VllmOrigin = "image" | "pip";

/** Kernel that selects the next tokens. */
export type Sampler = keyof typeof table.samplerBytesPerLogit;

/** Peak sampling bytes per (sequence, vocabulary entry), besides logits in the model's dtype. */
export const samplerBytesPerLogit: Readonly<Record<Sampler, number>> = table.samplerBytesPerLogit;

export interface VllmConstants {
  readonly from: string;
  readonly defaultUtilization: number;
  readonly secondRunner: SecondRunner;
  readonly cudaGraphsInPool: Readonly<Record<ModelRunner, readonly GpuModel["vendor"][]>>;
  readonly graphSizes: { readonly decoding: boolean; readonly followsSequences: boolean; readonly step: number };
  readonly largestGraph: { readonly other: number; readonly dataCentreBlackwell: number };
  readonly tritonLatentDecodingGraphs: boolean;
  readonly batchTokensFrom160GiB: number;
  readonly reportsRequestCapacity: boolean;
  readonly sampler: Readonly<Record<VllmOrigin, Sampler>>;
  readonly samplerOfSecondRunner: Sampler;
  readonly penaltiesInPool: boolean;
  readonly buffersStayWhileSampling: boolean;
  readonly mxfp4: Mxfp4Rules;
  readonly plainExpertMultiple: number;
  readonly nvfp4Experts: { readonly tensorRtGated: number; readonly marlinPads: boolean };
  readonly expertsInModularKernel: boolean;
  readonly expertChunkTokens: number | null;
  readonly rocmPadsExperts: boolean;
  readonly latentWorkspaceMiB: number;
  readonly groupSizeTolerance: number;
  readonly hybridStatePages: number;
  readonly cachesChunksWhole: boolean;
  readonly checksFreeMemory: boolean;
  readonly tablesInPool: boolean;
  readonly countsAfterGroup: boolean;
  readonly uncountedHandlesGiB: { readonly linked: number; readonly other: number };
  readonly statePageOfEachSequence: boolean;
  readonly windowsKeepAllBatches: boolean;
  readonly skipsUnusedTowers: boolean;
  readonly fp8CacheOfCheckpoint: Readonly<Record<"modelopt" | "compressed-tensors", "never" | "auto" | "always">>;
  readonly nonTorchGiB: { readonly linked: NonTorchMemory; readonly other: NonTorchMemory };
  readonly measuredOn: string;
}

type VersionChange = Pick<VllmConstants, "from"> & Partial<VllmConstants>;

const oldest = table.oldest as VllmConstants;
/** First version with known memory: the V1 engine is on by default. */
export const oldestVllm = oldest.from;
const changes = table.changes as readonly VersionChange[];

/** Complete constants of every changed version, oldest first. */
const versions = changes.map((_, index): VllmConstants => Object.assign({}, oldest, ...changes.slice(0, index + 1)));

/** Constants of a version with their measurements. */
interface KnownConstants {
  readonly constants: VllmConstants;
  readonly basis: string;
}

const byVersion = new Map<string, KnownConstants>();

/**
 * Constants of a version: the newest entry that is not newer. Older versions use the first entry;
 * non-numeric versions count as newest.
 */
export function vllmConstants(version: string): KnownConstants {
  const known = byVersion.get(version) ?? constantsFor(version);
  byVersion.set(version, known);
  return known;
}

function constantsFor(version: string): KnownConstants {
  const applicable = versions.filter((entry) => compareVersions(entry.from, version) <= 0);
  const constants = applicable.at(-1) ?? oldest;
  const measured = constants.measuredOn;
  const applied = measured.split(/, | and /).some((known) => version.startsWith(`${known}.`))
    ? ""
    : `; applied to ${version}`;
  return { constants, basis: `measured on vLLM ${measured}${applied}` };
}
