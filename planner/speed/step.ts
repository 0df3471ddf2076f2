/** Decode step: one token for each running sequence. */
import { communicationMs } from "./communication";
import { joined, type MatrixTime, matrixMs } from "./matrix-time";
import type { LimitedBy, ReplicaSetup, SpeedFactors } from "./types";

export interface DecodeLoad {
  /** Running sequences of all stages and attention groups. */
  readonly sequences: number;
  /** Average cached tokens per sequence. */
  readonly contextTokens: number;
}

/** One step by cause, milliseconds: all stages of a pipeline in sequence. */
export interface StepTime {
  readonly totalMs: number;
  /** Reading weights alone. */
  readonly weightsMs: number;
  /** Reading caches and states. */
  readonly kvMs: number;
  /** Arithmetic alone. */
  readonly computeMs: number;
  readonly communicationMs: number;
  /** Engine work, and dependent kernels. */
  readonly overheadMs: number;
  /** By formulas only, without measurements. */
  readonly matrices: MatrixTime;
}

/** Pipeline stages alternate between groups of sequences: a pass carries one group. */
export function stepMs(setup: ReplicaSetup, { sequences, contextTokens }: DecodeLoad): StepTime {
  return stepOf(setup, sequences)(contextTokens);
}

/** Step of so many sequences by their context, for many contexts. */
export function stepOf(setup: ReplicaSetup, sequences: number): (contextTokens: number) => StepTime {
  const { attentionDataParallel = 1, pipelineParallel, coefficients } = setup;
  const tokens = Math.max(1, sequences / pipelineParallel);
  const own = Math.max(1, tokens / attentionDataParallel);
  const matrices = matrixMs(setup, tokens, coefficients.decodeCompute, tokens);
  const exchangedMs = communicationMs(setup, tokens);
  const ofEngineMs = engineMs(setup, own);
  const { step: factor, addedMs, addedPerSequenceMs } = setup.calibration ?? NOT_MEASURED;
  const besides = addedMs + addedPerSequenceMs * tokens;
  return (contextTokens) => {
    const kvMs = cacheMs(setup, own, contextTokens);
    const busyMs = matrices.totalMs + kvMs + exchangedMs;
    const overheadMs = launchedMs(setup, busyMs) - busyMs + ofEngineMs;
    return {
      totalMs: factor * (busyMs + overheadMs) + besides,
      weightsMs: factor * matrices.weightsMs,
      kvMs: factor * kvMs,
      computeMs: factor * matrices.computeMs,
      communicationMs: factor * exchangedMs,
      overheadMs: factor * overheadMs + besides,
      matrices,
    };
  };
}

const NOT_MEASURED: Omit<SpeedFactors, "prompt"> = { step: 1, addedMs: 0, addedPerSequenceMs: 0 };

/** Reading caches and fixed states. */
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

/** Overlaps a pass's card time with kernel launches. */
export function launchedMs({ work, coefficients }: ReplicaSetup, busyMs: number): number {
  return joined(busyMs, (coefficients.hostTime * coefficients.launchUs * work.launches) / 1e3);
}

/** Engine time besides arithmetic, per pass. */
export function engineMs({ work, coefficients }: ReplicaSetup, sequences: number): number {
  const { stepMs, layerUs, moeLayerUs, indexerUs, sequenceUs, oldEngine, hostTime } = coefficients;
  const layersUs = layerUs * work.layers + moeLayerUs * work.moeLayers + indexerUs * work.indexedLayers;
  return oldEngine * (hostTime * (stepMs + (sequenceUs * sequences) / 1e3) + layersUs / 1e3);
}

/** Largest part of a step. */
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
