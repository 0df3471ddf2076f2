/** Loads of a running model from its histograms over time. Pure. */
import type { MeasuredFigure, MeasuredLoad } from "../../planner/speed/measurement";
import { mean, statedError } from "../measure/statistics";
import { added, countOf, type Histogram, meanOf, medianOf, quantileOf } from "./histogram";

/** One interval, all replicas together, in seconds. */
export interface Interval {
  readonly seconds: number;
  readonly replicas: number;
  readonly firstToken: Histogram;
  readonly token: Histogram;
  readonly request: Histogram;
  readonly promptTokens: number;
  readonly generatedTokens: number;
  readonly failed: number;
  /** Share of cache in use: average, and the fullest replica's maximum. */
  readonly kvCache?: { readonly mean: number; readonly max: number };
}

/** A load with its histograms, which bound its quantiles. */
export interface ObservedLoad {
  readonly load: MeasuredLoad;
  readonly firstToken: Histogram;
  readonly token: Histogram;
}

export interface ThinLoad {
  readonly inFlight: number;
  readonly requests: number;
  readonly intervals: number;
}

/** Fewer requests say little about a 99th percentile, fewer intervals about the time of day. */
export const LEAST = { requests: 100, intervals: 3 } as const;

/** Blocks for the stated error. */
const BLOCKS = 8;

/** By powers of two of requests in flight per replica, lightest first. */
export function loadsOf(intervals: readonly Interval[], sharedPrefixTokens: number) {
  const classes = new Map<number, Interval[]>();
  for (const interval of intervals.filter(({ firstToken, replicas }) => countOf(firstToken) > 0 && replicas > 0)) {
    const power = Math.max(0, Math.round(Math.log2(inFlightOf([interval]))));
    classes.set(power, [...(classes.get(power) ?? []), interval]);
  }
  const loads: ObservedLoad[] = [];
  const thin: ThinLoad[] = [];
  for (const [, alike] of [...classes].sort(([a], [b]) => a - b)) {
    const requests = Math.round(countOf(added(alike.map(({ firstToken }) => firstToken))));
    const observed =
      requests < LEAST.requests || alike.length < LEAST.intervals ? undefined : loadOf(alike, sharedPrefixTokens);
    if (observed === undefined) {
      thin.push({ inFlight: atOnce(alike), requests, intervals: alike.length });
    } else {
      loads.push(observed);
    }
  }
  return { loads, thin };
}

/** Little's law: time of all requests over elapsed time. */
function inFlightOf(intervals: readonly Interval[]): number {
  return sum(intervals, ({ request }) => request.sum) / sum(intervals, ({ seconds, replicas }) => seconds * replicas);
}

/** Measurements have whole requests; below one, each runs alone. */
function atOnce(intervals: readonly Interval[]): number {
  return Math.max(1, Math.round(inFlightOf(intervals)));
}

/** Undefined where a time exceeds its histogram's last bound. */
function loadOf(intervals: readonly Interval[], sharedPrefixTokens: number): ObservedLoad | undefined {
  const of = (key: "firstToken" | "token" | "request") => added(intervals.map((each) => each[key]));
  const [firstToken, token, request] = [of("firstToken"), of("token"), of("request")];
  const ttftMs = figureOf(intervals, "firstToken");
  const e2eMs = figureOf(intervals, "request");
  const tpotMs = figureOf(intervals, "token");
  if (ttftMs === undefined || e2eMs === undefined) {
    return undefined;
  }
  const requests = countOf(firstToken);
  const inFlight = atOnce(intervals);
  const tokens = (key: "promptTokens" | "generatedTokens") =>
    Math.max(1, Math.round(sum(intervals, (each) => each[key]) / requests));
  const [inputTokens, outputTokens] = [tokens("promptTokens"), tokens("generatedTokens")];
  const kv = intervals.flatMap(({ kvCache }) => kvCache ?? []);
  return {
    firstToken,
    token,
    load: {
      inFlight,
      inputTokens,
      outputTokens,
      sharedPrefixTokens: Math.min(sharedPrefixTokens, inputTokens),
      requests: Math.round(requests),
      failed: Math.round(sum(intervals, ({ failed }) => failed)),
      ttftMs,
      ...(tpotMs && { tpotMs }),
      e2eMs,
      // Constantly in flight, each as long as observed.
      tokensPerSecond: { value: (inFlight * outputTokens) / meanOf(request), error: e2eMs.error },
      ...(kv.length > 0 && {
        kvCacheUsage: { mean: mean(kv.map((each) => each.mean)), max: Math.max(...kv.map((each) => each.max)) },
      }),
    },
  };
}

/** Milliseconds; undefined without values, or with a median beyond the last bound. */
function figureOf(intervals: readonly Interval[], key: "firstToken" | "token" | "request"): MeasuredFigure | undefined {
  const histogram = added(intervals.map((each) => each[key]));
  const median = medianOf(histogram);
  if (median === undefined) {
    return undefined;
  }
  const p99 = quantileOf(histogram, 0.99)?.value ?? Number.POSITIVE_INFINITY;
  const blocks = blocksOf(intervals)
    .map((block) => meanOf(added(block.map((each) => each[key]))))
    .filter(Number.isFinite);
  // More requests do not narrow a bucket.
  const error = Math.min(10, Math.max(statedError(blocks) ?? 0, median.error));
  return {
    median: 1000 * median.value,
    mean: 1000 * meanOf(histogram),
    ...(Number.isFinite(p99) && { p99: 1000 * Math.max(p99, median.value) }),
    error,
  };
}

/** Consecutive intervals, at most as many blocks as intervals. */
function blocksOf(intervals: readonly Interval[]): Interval[][] {
  const size = Math.ceil(intervals.length / BLOCKS);
  return Array.from({ length: Math.ceil(intervals.length / size) }, (_, i) =>
    intervals.slice(i * size, (i + 1) * size),
  );
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}
