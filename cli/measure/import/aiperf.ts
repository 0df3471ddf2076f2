/** AIPerf's profile_export_aiperf.json (schema 1.4 of package aiperf 0.13.0, read 2026-11-24). */
import { z } from "zod";
import { figureOf, type Imported, meanInFlight, NotImported } from "./imported";

const metric = z.object({
  unit: z.string(),
  avg: z.number().nullish(),
  p50: z.number().nullish(),
  p99: z.number().nullish(),
});
/** Milliseconds by default. */
const milliseconds = metric.extend({ unit: z.literal("ms") });

const EXPORT = z.object({
  aiperf_version: z.string().optional(),
  start_time: z.string().nullish(),
  was_cancelled: z.boolean().nullish(),
  request_throughput: metric,
  request_latency: milliseconds,
  request_count: metric,
  error_request_count: metric.optional(),
  time_to_first_token: milliseconds.optional(),
  inter_token_latency: milliseconds.optional(),
  output_token_throughput: metric,
  input_sequence_length: metric,
  output_sequence_length: metric,
});

export function isAiperf(value: unknown): boolean {
  return typeof value === "object" && value !== null && "input_config" in value && "request_latency" in value;
}

/** @throws NotImported */
export function fromAiperf(value: unknown): Imported {
  const parsed = EXPORT.safeParse(value);
  if (!parsed.success) {
    throw new NotImported(
      parsed.error.issues.map(({ path, message }) => `${path.join(".")} of AIPerf: ${message}`).join("\n"),
    );
  }
  const result = parsed.data;
  const by = result.aiperf_version === undefined ? "AIPerf" : `AIPerf ${result.aiperf_version}`;
  const start = result.start_time == null ? Number.NaN : Date.parse(`${result.start_time.replace(/Z$/, "")}Z`);
  const common = {
    by,
    ...(Number.isFinite(start) && { measuredAt: `${new Date(start).toISOString().slice(0, 19)}Z` }),
    notes: result.was_cancelled ? ["it was cancelled before its end"] : [],
  };
  const times = (each: z.infer<typeof milliseconds> | undefined) =>
    figureOf({ median: each?.p50, mean: each?.avg, p99: each?.p99 });
  const ttftMs = times(result.time_to_first_token);
  const tpotMs = times(result.inter_token_latency);
  const e2eMs = times(result.request_latency);
  if (ttftMs === undefined || e2eMs === undefined) {
    const notes = [...common.notes, "it holds no time to the first token: add --streaming"];
    return { ...common, loads: [], notes };
  }
  return {
    ...common,
    loads: [
      {
        inFlight: meanInFlight(result.request_throughput.avg ?? 0, e2eMs.mean ?? e2eMs.median),
        inputTokens: Math.max(1, Math.round(result.input_sequence_length.avg ?? 1)),
        outputTokens: Math.max(1, Math.round(result.output_sequence_length.avg ?? 1)),
        sharedPrefixTokens: 0,
        requests: Math.round(result.request_count.avg ?? 0),
        failed: Math.round(result.error_request_count?.avg ?? 0),
        ttftMs,
        ...(tpotMs !== undefined && { tpotMs }),
        e2eMs,
        tokensPerSecond: { value: result.output_token_throughput.avg ?? 0 },
      },
    ],
  };
}
