/** Results of other tools, by the keys that several of their versions write. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BadMeasurement } from "../../../cli/measure/failure";
import { importResults } from "../../../cli/measure/import/import-results";
import { useFolder } from "../run";

const folder = useFolder();

function imported(...files: (object | string)[]) {
  const paths = files.map((file, index) => {
    const path = join(folder, `${index}.json`);
    writeFileSync(path, typeof file === "string" ? file : JSON.stringify(file));
    return path;
  });
  return importResults(paths);
}

/** What importing throws. */
function refusalOf(...files: (object | string)[]): BadMeasurement {
  try {
    imported(...files);
  } catch (error) {
    if (error instanceof BadMeasurement) {
      return error;
    }
    throw error;
  }
  throw new Error("it was taken");
}

/** `vllm bench serve --save-result`, with what it says of each request left out. */
const VLLM = {
  date: "20261124-101500",
  endpoint_type: "openai-chat",
  backend: "openai-chat",
  model_id: "Qwen/Qwen2.5-7B-Instruct",
  tokenizer_id: "Qwen/Qwen2.5-7B-Instruct",
  num_prompts: 40,
  request_rate: "inf",
  burstiness: 1.0,
  max_concurrency: 8,
  duration: 20.0,
  completed: 40,
  failed: 2,
  total_input_tokens: 40_000,
  total_output_tokens: 12_000,
  request_throughput: 2.0,
  request_goodput: null,
  output_throughput: 600.0,
  total_token_throughput: 2600.0,
  mean_ttft_ms: 120.0,
  median_ttft_ms: 110.0,
  std_ttft_ms: 10.0,
  p99_ttft_ms: 300.0,
  mean_tpot_ms: 12.5,
  median_tpot_ms: 12.0,
  std_tpot_ms: 1.0,
  p99_tpot_ms: 15.0,
};

describe("a result of vllm bench serve", () => {
  it("is a load of its closed loop", () => {
    const { by, measuredAt, loads, complete } = imported(VLLM);
    expect([by, measuredAt, complete]).toEqual(["vllm bench serve", "2026-11-24T10:15:00Z", true]);
    expect(loads).toEqual([
      {
        inFlight: 8,
        inputTokens: 1000,
        outputTokens: 300,
        sharedPrefixTokens: 0,
        requests: 40,
        failed: 2,
        ttftMs: { median: 110, mean: 120, p99: 300 },
        tpotMs: { median: 12, mean: 12.5, p99: 15 },
        tokensPerSecond: { value: 600 },
      },
    ]);
  });

  it("of a rate is as many requests as come while one is answered; of versions that count no failures none failed", () => {
    const { failed: _, ...old } = VLLM;
    const [load] = imported({ ...old, request_rate: 2.0, max_concurrency: null }).loads;
    // 120 ms and 299 further tokens of 12.5 ms, twice a second.
    expect([load?.inFlight, load?.failed]).toEqual([Math.round(2 * (0.12 + 299 * 0.0125)), 0]);
  });

  it("is one load for each line of --append-result, the fewest requests at once first", () => {
    const lines = [{ ...VLLM, max_concurrency: 16 }, VLLM].map((each) => JSON.stringify(each));
    expect(imported(`${lines.join("\n")}\n`).loads.map(({ inFlight }) => inFlight)).toEqual([8, 16]);
  });

  it("says what is missing where it holds no times, or nobody knows how many requests ran", () => {
    const { mean_ttft_ms: _a, median_ttft_ms: _b, p99_ttft_ms: _c, ...without } = VLLM;
    expect(refusalOf(without).message).toContain("--percentile-metrics left ttft out");
    expect(refusalOf({ ...VLLM, max_concurrency: null }).message).toContain("add --max-concurrency");
    expect(refusalOf({ ...VLLM, completed: 0 }).message).toContain("no request of it was answered");
  });
});

const summary = (mean: number) => ({
  mean,
  median: mean,
  mode: mean,
  count: 40,
  percentiles: { p001: mean, p50: mean, p95: mean, p99: 2 * mean, p999: mean },
});
const ofStatus = (mean: number) => ({
  successful: summary(mean),
  incomplete: summary(0),
  errored: summary(0),
  total: summary(mean),
});
const REQUESTS = { successful: 40, incomplete: 3, errored: 1, total: 44 };
const GUIDELLM_METRICS = {
  requests_per_second: ofStatus(2),
  request_concurrency: ofStatus(7.8),
  request_latency: ofStatus(3.9),
  prompt_token_count: ofStatus(1000),
  output_token_count: ofStatus(300),
  time_to_first_token_ms: ofStatus(120),
  time_per_output_token_ms: ofStatus(13),
  inter_token_latency_ms: ofStatus(12.5),
  output_tokens_per_second: ofStatus(77),
  tokens_per_second: ofStatus(2600),
};

describe("a report of GuideLLM", () => {
  const load = {
    inFlight: 8,
    inputTokens: 1000,
    outputTokens: 300,
    sharedPrefixTokens: 0,
    requests: 40,
    failed: 1,
    ttftMs: { median: 120, mean: 120, p99: 240 },
    tpotMs: { median: 12.5, mean: 12.5, p99: 25 },
    tokensPerSecond: { value: 600 },
  };

  it("of 0.4 and later counts requests among its metrics", () => {
    const metrics = { ...GUIDELLM_METRICS, request_totals: REQUESTS };
    const result = imported({
      metadata: { version: 1, guidellm_version: "0.8.1" },
      args: {},
      benchmarks: [{ start_time: 1_795_600_000.5, metrics }],
    });
    expect([result.by, result.measuredAt, result.loads]).toEqual(["GuideLLM 0.8.1", "2026-11-25T09:46:40Z", [load]]);
  });

  it("of 0.3 and before counts them beside its metrics, and does not say its version", () => {
    const result = imported({ benchmarks: [{ metrics: GUIDELLM_METRICS, request_totals: REQUESTS }] });
    expect([result.by, result.loads, result.complete]).toEqual(["GuideLLM", [load], true]);
  });

  it("leaves out benchmarks that answered nothing, and says so", () => {
    const metrics = { ...GUIDELLM_METRICS, request_totals: REQUESTS };
    const nothing = { ...metrics, requests_per_second: ofStatus(0) };
    const { loads, notes, complete } = imported({ benchmarks: [{ metrics }, { metrics: nothing }] });
    expect([loads.length, complete]).toEqual([1, false]);
    expect(notes).toEqual([expect.stringContaining("benchmark 2 holds no time to the first token")]);
  });
});

const AIPERF = {
  schema_version: "1.3",
  aiperf_version: "0.13.0",
  input_config: {},
  was_cancelled: false,
  start_time: "2026-11-24T10:15:00.123456",
  request_throughput: { unit: "requests/sec", avg: 2 },
  request_latency: { unit: "ms", avg: 3900, p50: 3850, p99: 5000 },
  request_count: { unit: "requests", avg: 40 },
  error_request_count: { unit: "requests", avg: 1 },
  time_to_first_token: { unit: "ms", avg: 120, p50: 110, p99: 300 },
  inter_token_latency: { unit: "ms", avg: 12.5, p50: 12, p99: 15 },
  output_token_throughput: { unit: "tokens/sec", avg: 600 },
  input_sequence_length: { unit: "tokens", avg: 1000 },
  output_sequence_length: { unit: "tokens", avg: 300 },
};

describe("an export of AIPerf", () => {
  it("is one load, of versions with and without a schema", () => {
    const { schema_version: _s, aiperf_version: _v, error_request_count: _e, ...old } = AIPERF;
    for (const [file, by, failed] of [
      [AIPERF, "AIPerf 0.13.0", 1],
      [old, "AIPerf", 0],
    ] as const) {
      const result = imported(file);
      expect([result.by, result.measuredAt]).toEqual([by, "2026-11-24T10:15:00Z"]);
      expect(result.loads).toMatchObject([
        { inFlight: 8, inputTokens: 1000, outputTokens: 300, requests: 40, failed, tokensPerSecond: { value: 600 } },
      ]);
    }
  });

  it("of another unit, of a run without a stream or of a cancelled one says so", () => {
    expect(refusalOf({ ...AIPERF, request_latency: { unit: "s", avg: 3.9 } }).message).toContain(
      "request_latency.unit",
    );
    const { time_to_first_token: _, ...whole } = AIPERF;
    expect(refusalOf(whole).message).toContain("add --streaming");
    expect(imported({ ...AIPERF, was_cancelled: true })).toMatchObject({ complete: false });
  });
});

describe("files of nobody", () => {
  it.each(["", "no JSON", "[]", '{"a":1}'])("are refused: %j", (text) => {
    expect(refusalOf(text).lookAt).toContain("vllm bench serve --save-result, GuideLLM");
  });

  it("are all named, and nothing is taken", () => {
    const { message } = refusalOf("{}", VLLM, "x");
    expect(message.split("\n").map((line) => /(\d)\.json/.exec(line)?.[1])).toEqual(["0", "2"]);
  });
});
