/**
 * GuideLLM's benchmarks.json: schema 2 of package guidellm 0.8.1, read 2026-11-24, with these keys
 * since 0.4; before, request counts were next to the metrics (neuralmagic/guidellm,
 * src/guidellm/benchmark/benchmark.py, read 2026-11-25).
 */
import { z } from "zod";
import type { MeasuredLoad } from "../../../planner/speed/measurement";
import { figureOf, type Imported, NotImported } from "./imported";

const summary = z.object({
  mean: z.number(),
  median: z.number(),
  count: z.number().optional(),
  percentiles: z.object({ p99: z.number() }),
});
const distribution = z.object({ successful: summary.nullish() }).nullish();

const totals = z.object({ successful: z.number(), errored: z.number() }).optional();

const BENCHMARK = z.object({
  start_time: z.number().optional(),
  request_totals: totals,
  metrics: z.object({
    request_totals: totals,
    requests_per_second: distribution,
    request_concurrency: distribution,
    prompt_token_count: distribution,
    output_token_count: distribution,
    time_to_first_token_ms: distribution,
    // Without the first token, as usual for time per output token; GuideLLM's own includes it.
    inter_token_latency_ms: distribution,
    output_tokens_per_second: distribution,
  }),
});

const REPORT = z.object({
  metadata: z.object({ guidellm_version: z.string() }).optional(),
  benchmarks: z.array(BENCHMARK),
});

export function isGuidellm(value: unknown): boolean {
  return typeof value === "object" && value !== null && "benchmarks" in value;
}

/** @throws NotImported */
export function fromGuidellm(value: unknown): Imported {
  const parsed = REPORT.safeParse(value);
  if (!parsed.success) {
    throw new NotImported(
      parsed.error.issues.map(({ path, message }) => `${path.join(".")} of GuideLLM: ${message}`).join("\n"),
    );
  }
  const { metadata, benchmarks } = parsed.data;
  const loads = benchmarks.map(loadOf);
  const [first] = benchmarks.flatMap(({ start_time: time }) => (time === undefined || time <= 0 ? [] : [time]));
  return {
    by: metadata === undefined ? "GuideLLM" : `GuideLLM ${metadata.guidellm_version}`,
    ...(first !== undefined && { measuredAt: `${new Date(first * 1000).toISOString().slice(0, 19)}Z` }),
    loads: loads.flatMap((load) => load ?? []),
    notes: loads.flatMap((load, index) =>
      load === undefined ? [`benchmark ${index + 1} holds no time to the first token, or no answered request`] : [],
    ),
  };
}

function loadOf({ metrics, request_totals: besides }: z.infer<typeof BENCHMARK>): MeasuredLoad | undefined {
  const of = (each: z.infer<typeof distribution>) => {
    const { mean, median, percentiles } = each?.successful ?? {};
    return figureOf({ mean, median, p99: percentiles?.p99 });
  };
  const ttftMs = of(metrics.time_to_first_token_ms);
  const tpotMs = of(metrics.inter_token_latency_ms);
  const inFlight = metrics.request_concurrency?.successful?.mean ?? 0;
  const inputTokens = metrics.prompt_token_count?.successful?.mean ?? 0;
  const outputTokens = metrics.output_token_count?.successful?.mean ?? 0;
  const rate = metrics.requests_per_second?.successful?.mean ?? 0;
  const requests = metrics.request_totals ?? besides;
  if (ttftMs === undefined || requests === undefined || rate * outputTokens <= 0) {
    return undefined;
  }
  return {
    inFlight: Math.max(1, Math.round(inFlight)),
    inputTokens: Math.max(1, Math.round(inputTokens)),
    outputTokens: Math.max(1, Math.round(outputTokens)),
    sharedPrefixTokens: 0,
    requests: requests.successful,
    failed: requests.errored,
    ttftMs,
    ...(tpotMs !== undefined && { tpotMs }),
    tokensPerSecond: { value: rate * outputTokens },
  };
}
