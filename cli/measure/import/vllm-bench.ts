/**
 * Output of `vllm bench serve --save-result`: one object, or one per line with `--append-result`
 * (vllm-project/vllm, vllm/benchmarks/serve.py at 009e6d4a1cd6, read 2026-11-24).
 */
import { z } from "zod";
import { figureOf, type Imported, meanInFlight, NotImported } from "./imported";

const RESULT = z.object({
  date: z.string().optional(),
  model_id: z.string(),
  max_concurrency: z.number().int().positive().nullish(),
  request_rate: z.union([z.number(), z.literal("inf")]),
  completed: z.number().int(),
  failed: z.number().int().optional(),
  total_input_tokens: z.number(),
  total_output_tokens: z.number(),
  request_throughput: z.number().positive(),
  output_throughput: z.number().positive(),
  // `--percentile-metrics` chooses times.
  mean_ttft_ms: z.number().optional(),
  median_ttft_ms: z.number().optional(),
  p99_ttft_ms: z.number().optional(),
  mean_tpot_ms: z.number().optional(),
  median_tpot_ms: z.number().optional(),
  p99_tpot_ms: z.number().optional(),
});

export function isVllmBench(value: unknown): boolean {
  return typeof value === "object" && value !== null && "request_throughput" in value && "model_id" in value;
}

/** @throws NotImported */
export function fromVllmBench(value: unknown): Imported {
  const parsed = RESULT.safeParse(value);
  if (!parsed.success) {
    throw new NotImported(
      parsed.error.issues.map(({ path, message }) => `${path.join(".")} of vllm bench serve: ${message}`).join("\n"),
    );
  }
  const result = parsed.data;
  const { completed, failed = 0, request_rate: rate } = result;
  const by = "vllm bench serve";
  const measuredAt = dateOf(result.date);
  const at = measuredAt === undefined ? {} : { measuredAt };
  if (completed === 0) {
    return { by, ...at, loads: [], notes: ["no request of it was answered"] };
  }
  if (rate === "inf" && result.max_concurrency == null) {
    const notes = ["all requests were sent at once, so that their concurrency is unknown: add --max-concurrency"];
    return { by, ...at, loads: [], notes };
  }
  const outputTokens = result.total_output_tokens / completed;
  const ttftMs = figureOf({ median: result.median_ttft_ms, mean: result.mean_ttft_ms, p99: result.p99_ttft_ms });
  const tpotMs = figureOf({ median: result.median_tpot_ms, mean: result.mean_tpot_ms, p99: result.p99_tpot_ms });
  if (ttftMs === undefined) {
    return {
      by,
      ...at,
      loads: [],
      notes: [
        "it holds no time to the first token: the endpoint did not stream, or --percentile-metrics left ttft out",
      ],
    };
  }
  const e2eMs = (result.mean_ttft_ms ?? ttftMs.median) + (result.mean_tpot_ms ?? 0) * (outputTokens - 1);
  return {
    by,
    ...at,
    notes: [],
    loads: [
      {
        inFlight:
          rate === "inf" && result.max_concurrency != null
            ? result.max_concurrency
            : meanInFlight(result.request_throughput, e2eMs),
        inputTokens: Math.max(1, Math.round(result.total_input_tokens / completed)),
        outputTokens: Math.max(1, Math.round(outputTokens)),
        sharedPrefixTokens: 0,
        requests: completed,
        failed,
        ttftMs,
        ...(tpotMs !== undefined && { tpotMs }),
        tokensPerSecond: { value: result.output_throughput },
      },
    ],
  };
}

/** `20261124-003112` is local time of unknown zone: only the day counts. */
function dateOf(text: string | undefined): string | undefined {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/.exec(text ?? "") ?? [];
  return year === undefined ? undefined : `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
