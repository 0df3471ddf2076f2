/** Time of matrix products: bound by weights with few tokens, by arithmetic with many. */
import { normalQuantile } from "./normal";
import type { CardSpeed, ReplicaSetup } from "./types";
import type { Matrices } from "./work";

/**
 * Smooth maximum of overlapping times: fourth root of the sum of fourth powers, as sharp as
 * measured products bend. Square roots, for speed: a search calls this a million times.
 */
export function joined(a: number, b: number): number {
  const large = Math.max(a, b);
  if (large === 0) {
    return 0;
  }
  const square = (Math.min(a, b) / large) ** 2;
  return large * Math.sqrt(Math.sqrt(1 + square * square));
}

/** Only cards with FP4 multiply weights below this as floats. */
const FP4_BITS = 6;

/** Per card at the peak of these weights' multiplication format, scaled to what is achieved. */
export function peakPerMs(
  { tflops }: CardSpeed,
  { computeBits, bytes, parameters }: Matrices,
  setup: ReplicaSetup,
): number {
  const { fp8Compute, fp4Compute } = setup.coefficients;
  const stored = (8 * bytes) / Math.max(1, parameters);
  if (computeBits < 16 && stored < FP4_BITS && tflops.dense4 === undefined) {
    return tflops.dense16 * 1e9;
  }
  if (computeBits === 4 && tflops.dense4 !== undefined) {
    return tflops.dense4 * 1e9 * fp4Compute;
  }
  if (computeBits === 8 && tflops.dense8 !== undefined) {
    return tflops.dense8 * 1e9 * fp8Compute;
  }
  return tflops.dense16 * 1e9;
}

/** Time of a pass through all matrices, by bound. */
export interface MatrixTime {
  readonly totalMs: number;
  readonly weightsMs: number;
  readonly computeMs: number;
}

/**
 * Milliseconds of all matrix products of a pass, stage by stage.
 * @param tokens of the pass, of all attention groups together
 * @param share achieved of the peak
 * @param headTokens through the output head
 */
export function matrixMs(setup: ReplicaSetup, tokens: number, share: number, headTokens: number): MatrixTime {
  const { work, card, tensorParallel, attentionDataParallel = 1, coefficients } = setup;
  const bytesPerMs = card.memoryGBs * 1e6 * coefficients.weightBandwidth * coefficients.engineBandwidth;
  const ownTokens = tokens / attentionDataParallel;
  const unpackedPerMs = bytesPerMs * coefficients.unpackedBandwidth;
  const denseRead = work.dense.bytes / tensorParallel / (work.dense.unpacked ? unpackedPerMs : bytesPerMs);
  const densePeak = peakPerMs(card, work.dense, setup) * share;
  const denseCompute = (2 * ownTokens * work.dense.parameters) / tensorParallel / densePeak;
  const headRead = work.head.bytes / tensorParallel / (work.head.unpacked ? unpackedPerMs : bytesPerMs);
  const headCompute =
    (2 * (headTokens / attentionDataParallel) * work.head.parameters) /
    tensorParallel /
    (card.tflops.dense16 * 1e9 * share);

  let [expertRead, expertCompute] = [0, 0];
  if (work.experts !== undefined) {
    const { count, perToken, bytes, parameters } = work.experts;
    const gpus = tensorParallel * attentionDataParallel;
    const { expertParallel = 1 } = setup;
    const read = touched(count, perToken, tokens);
    expertRead =
      (bytes * Math.min(count, busiest(read, expertParallel, (count - read) / count))) /
      count /
      gpus /
      (bytesPerMs * coefficients.expertBandwidth * (work.experts.unpacked ? coefficients.unpackedExperts : 1));
    const peak = peakPerMs(card, work.experts, setup) * share * coefficients.expertCompute;
    const computed = busiest(tokens * perToken, expertParallel, 1);
    expertCompute = (2 * computed * parameters) / count / gpus / peak;
  }
  return {
    totalMs: joined(denseRead, denseCompute) + joined(headRead, headCompute) + joined(expertRead, expertCompute),
    weightsMs: denseRead + headRead + expertRead,
    computeMs: denseCompute + headCompute + expertCompute,
  };
}

/**
 * Items if every GPU had as many as the busiest, which all wait for. The largest of n draws exceeds
 * the mean by about the standard deviations below which n - 3/8 of n + 1/4 draws lie (Blom, 1958).
 * @param free remaining share of the spread of independent draws: 0 where each has its maximum
 */
export function busiest(things: number, gpus: number, free: number): number {
  return gpus > 1 ? things + normalQuantile((gpus - 0.375) / (gpus + 0.25)) * Math.sqrt(gpus * things * free) : things;
}

/** Experts with at least one token, each token choosing evenly. */
export function touched(count: number, perToken: number, tokens: number): number {
  return count * (1 - (1 - perToken / count) ** tokens);
}
