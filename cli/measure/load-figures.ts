/** Figures of a load, with their errors. */
import type { MeasuredFigure, MeasuredLoad } from "../../planner/speed/measurement";
import type { Sample } from "./client";
import type { LoopResult } from "./closed-loop";
import { mean, median, quantile, statedError } from "./statistics";
import type { MeasuredTraffic } from "./traffic";

/** @param rounds with at least one sample. */
export function summarize(inFlight: number, rounds: readonly LoopResult[], traffic: MeasuredTraffic): MeasuredLoad {
  const samples = rounds.flatMap((round) => round.samples);
  const inputs = samples.flatMap(({ inputTokens = [] }) => inputTokens);
  const latency = (of: (sample: Sample) => number | undefined): MeasuredFigure =>
    figure(rounds.map((round) => valuesOf(round.samples, of)));
  const tpot = latency(({ tpotMs }) => tpotMs);
  return {
    inFlight,
    inputTokens: Math.round(inputs.length > 0 ? mean(inputs) : traffic.inputTokens),
    outputTokens: Math.round(mean(samples.map(({ outputTokens }) => outputTokens))),
    sharedPrefixTokens: traffic.sharedPrefixTokens,
    requests: samples.length,
    failed: rounds.reduce((sum, { failures }) => sum + failures.length, 0),
    ttftMs: latency(({ ttftMs }) => ttftMs),
    ...(tpot.median > 0 && { tpotMs: tpot }),
    e2eMs: latency(({ e2eMs }) => e2eMs),
    tokensPerSecond: rate(rounds.map((round) => throughput(inFlight, round.samples))),
  };
}

function valuesOf(samples: readonly Sample[], of: (sample: Sample) => number | undefined): number[] {
  return samples.flatMap((sample) => of(sample) ?? []);
}

function figure(blocks: readonly (readonly number[])[]): MeasuredFigure {
  const filled = blocks.filter((block) => block.length > 0);
  const all = filled.flat();
  const error = statedError(filled.map(median));
  return {
    // Median of rounds, so that a bad round counts once.
    median: rounded(median(filled.map(median))),
    mean: rounded(mean(all)),
    p99: rounded(quantile(all, 0.99)),
    ...(error !== undefined && { error: rounded(error) }),
  };
}

/**
 * Output tokens per second of all streams: in a closed loop N requests end in the mean time of one
 * (Little's law), whatever is cut off at the ends of a round.
 */
function throughput(inFlight: number, samples: readonly Sample[]): number {
  const seconds = mean(samples.map(({ e2eMs }) => e2eMs)) / 1000;
  return (inFlight * mean(samples.map(({ outputTokens }) => outputTokens))) / seconds;
}

function rate(blocks: readonly number[]): { readonly value: number; readonly error?: number } {
  const error = statedError(blocks);
  return { value: rounded(median(blocks)), ...(error !== undefined && { error: rounded(error) }) };
}

/** Four digits exceed any measurement's precision. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
