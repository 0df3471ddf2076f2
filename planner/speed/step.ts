/** Time of one decode step: one more token for each running sequence. */
import { communicationMs } from "./communication";
import { joined, type MatrixTime, matrixMs } from "./matrix-time";
import type { LimitedBy, ReplicaSetup, SpeedFactors } from "./types";

export interface DecodeLoad {
  /** Sequences that run, in all stages and attention groups together. */
  readonly sequences: number;
  /** Tokens in the cache of each, on average. */
  readonly contextTokens: number;
}

/** One step by cause, milliseconds: all stages of a pipeline, which a token passes one after the other. */
export interface StepTime {
  readonly totalMs: number;
  /** Reading weights, were it alone. */
  readonly weightsMs: number;
  /** Reading the caches and states of running sequences. */
  readonly kvMs: number;
  /** Arithmetic, were it alone. */
  readonly computeMs: number;
  readonly communicationMs: number;
  /** The engine's own work, and kernels that wait for each other. */
  readonly overheadMs: number;
  /** All products with weights by the formulas alone, whatever was measured. */
  readonly matrices: MatrixTime;
}

/** The stages of a pipeline work on groups of the sequences in turn: each pass carries one group. */
export function stepMs(setup: ReplicaSetup, { sequences, contextTokens }: DecodeLoad): StepTime {
  const { attentionDataParallel = 1, pipelineParallel, coefficients } = setup;
  const tokens = Math.max(1, sequences / pipelineParallel);
  const own = Math.max(1, tokens / attentionDataParallel);
  const matrices = matrixMs(setup, tokens, coefficients.decodeCompute, tokens);
  const kvMs = cacheMs(setup, own, contextTokens);
  const exchangedMs = communicationMs(setup, tokens);
  const busyMs = matrices.totalMs + kvMs + exchangedMs;
  const overheadMs = launchedMs(setup, busyMs) - busyMs + engineMs(setup, own);
  const { step: factor, addedMs, addedPerSequenceMs } = setup.calibration ?? NOT_MEASURED;
  const besides = addedMs + addedPerSequenceMs * tokens;
  return {
    totalMs: factor * (busyMs + overheadMs) + besides,
    weightsMs: factor * matrices.weightsMs,
    kvMs: factor * kvMs,
    computeMs: factor * matrices.computeMs,
    communicationMs: factor * exchangedMs,
    overheadMs: factor * overheadMs + besides,
    matrices,
  };
}

const NOT_MEASURED: Omit<SpeedFactors, "prompt"> = { step: 1, addedMs: 0, addedPerSequenceMs: 0 };

/** Attention of `sequences` over their caches, and their fixed states. */
function cacheMs(
  { work, card, tensorParallel, coefficients }: ReplicaSetup,
  sequences: number,
  context: number,
): number {
  const bytesPerMs = card.memoryGBs * 1e6 * coefficients.kvBandwidth;
  const operationsPerMs = card.tflops.dense16 * 1e9 * coefficients.decodeCompute * tensorParallel;
  let [bytes, operations] = [work.stateBytes, 0];
  for (const { bytesPerToken, mostTokens = Number.POSITIVE_INFINITY, operationsPerToken } of work.caches) {
    const tokens = Math.min(context, mostTokens);
    bytes += bytesPerToken * tokens;
    operations += operationsPerToken * tokens;
  }
  return joined((sequences * bytes) / bytesPerMs, (sequences * operations) / operationsPerMs);
}

/** A pass that keeps its cards busy for so long, with the launches of its kernels beside it. */
export function launchedMs({ work, coefficients }: ReplicaSetup, busyMs: number): number {
  return joined(busyMs, (coefficients.hostTime * coefficients.launchUs * work.launches) / 1e3);
}

/** What the engine does beside the arithmetic, for one pass. */
export function engineMs({ work, coefficients }: ReplicaSetup, sequences: number): number {
  const { stepMs, layerUs, moeLayerUs, indexerUs, sequenceUs, oldEngine, hostTime } = coefficients;
  const layersUs = layerUs * work.layers + moeLayerUs * work.moeLayers + indexerUs * work.indexedLayers;
  return oldEngine * (hostTime * (stepMs + (sequenceUs * sequences) / 1e3) + layersUs / 1e3);
}

/** What takes most of a step. */
export function limitOfStep(step: StepTime, { pipelineParallel }: ReplicaSetup): LimitedBy {
  const causes: readonly (readonly [LimitedBy, number])[] = [
    ["weights", step.weightsMs],
    ["kv-reads", step.kvMs],
    ["compute", step.computeMs],
    [pipelineParallel > 1 ? "pipeline" : "all-reduce", step.communicationMs],
    ["overhead", step.overheadMs],
  ];
  return causes.reduce((most, cause) => (cause[1] > most[1] ? cause : most))[0];
}
