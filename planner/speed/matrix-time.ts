/** Time of matrix products: bound by reading the weights with few tokens, by arithmetic with many. */
import { normalQuantile } from "./normal";
import type { CardSpeed, ReplicaSetup } from "./types";
import type { Matrices } from "./work";

/**
 * The larger of two times that overlap, rounded off where they are alike: the fourth root of the sum of their fourth powers, as
 * sharply as the curve of measured products bends. By square roots, for a search asks this a million times.
 */
export function joined(a: number, b: number): number {
  const large = Math.max(a, b);
  if (large === 0) {
    return 0;
  }
  const square = (Math.min(a, b) / large) ** 2;
  return large * Math.sqrt(Math.sqrt(1 + square * square));
}

/** Weights in fewer bits than this are multiplied as floats only by cards that multiply FP4. */
const FP4_BITS = 6;

/** Operations per millisecond of one card at the peak of the number format that it multiplies these weights in, and reaches of it. */
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

/** What a pass of tokens takes through all matrices, by what bounds it. */
export interface MatrixTime {
  readonly totalMs: number;
  readonly weightsMs: number;
  readonly computeMs: number;
}

/**
 * Milliseconds of all matrix products of one pass, one stage after the other.
 * @param tokens of the pass, of all attention groups together
 * @param share of the peak that these products reach
 * @param headTokens that go through the output head
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
 * Of so many things that fall on GPUs by chance, as many as there would be if each had what the busiest has: all wait for it.
 * The largest of n draws lies above the mean by about the standard deviations that n - 3/8 of n + 1/4 draws are below (Blom, 1958).
 * @param free share of the spread of independent draws that is left: nothing is where each has all that it can have
 */
export function busiest(things: number, gpus: number, free: number): number {
  return gpus > 1 ? things + normalQuantile((gpus - 0.375) / (gpus + 0.25)) * Math.sqrt(gpus * things * free) : things;
}

/** Experts of a layer that at least one of the tokens is routed to, each token choosing evenly. */
export function touched(count: number, perToken: number, tokens: number): number {
  return count * (1 - (1 - perToken / count) ** tokens);
}
