import { describe, expect, it } from "vitest";
import { measurementReport } from "../../../cli/measure/report";
import type { MeasuredLoad, SpeedMeasurement } from "../../../planner/speed/measurement";

const LOAD: MeasuredLoad = {
  inFlight: 8,
  inputTokens: 1000,
  outputTokens: 300,
  sharedPrefixTokens: 0,
  requests: 40,
  failed: 2,
  ttftMs: { median: 412, p99: 1234, error: 0.03 },
  tpotMs: { median: 12.34, p99: 15 },
  tokensPerSecond: { value: 600, error: 0.05 },
};

function measurement(changes: Partial<SpeedMeasurement> = {}): SpeedMeasurement {
  return {
    card: "NVIDIA L40S",
    engine: "vllm",
    engineVersion: "0.33.0",
    model: "qwen2.5-7b-instruct",
    tensorParallel: 1,
    pipelineParallel: 1,
    by: "test",
    measuredAt: "2026-11-24T10:15:00Z",
    complete: true,
    loads: [LOAD],
    ...changes,
  };
}

/** The cells of the table, row by row. */
function rowsOf(report: string): string[][] {
  const lines = report.split("\n");
  const head = lines.findIndex((line) => line.includes("at once"));
  return lines.slice(head).flatMap((line) => (line.trim() === "" ? [] : [line.trim().split(/\s{2,}/)]));
}

describe("the report of a measurement", () => {
  it("has under each heading what was measured, down to the requests that failed", () => {
    const [head, row] = rowsOf(measurementReport(measurement(), []));
    const pairs = head?.map((heading, column) => [heading, row?.[column]]);
    expect(pairs).toEqual([
      ["at once", "8"],
      ["tokens in + out", "1,000 + 300"],
      ["first token", "412 ms ± 3 %"],
      ["p99", "1.23 s"],
      ["per token", "12.3 ms"],
      ["p99", "15 ms"],
      ["tokens/s", "600 ± 5 %"],
      ["requests", "40"],
      ["failed", "2"],
    ]);
  });

  it("has a dash for each time that the tool did not report", () => {
    const bare = { ...LOAD, ttftMs: { median: 412 }, tpotMs: undefined };
    const [, row] = rowsOf(measurementReport(measurement({ loads: [bare] }), []));
    expect(row?.slice(2, 6)).toEqual(["412 ms", "–", "–", "–"]);
  });

  it.each([
    [{}, "qwen2.5-7b-instruct · vllm 0.33.0 · NVIDIA L40S"],
    [{ quantization: "fp8" }, "qwen2.5-7b-instruct in fp8 · vllm 0.33.0 · NVIDIA L40S"],
    [{ tensorParallel: 2 }, "qwen2.5-7b-instruct · vllm 0.33.0 · NVIDIA L40S · TP 2 × PP 1"],
    [{ pipelineParallel: 2 }, "qwen2.5-7b-instruct · vllm 0.33.0 · NVIDIA L40S · TP 1 × PP 2"],
  ])("of %j is headed by what was measured", (changes, heading) => {
    expect(measurementReport(measurement(changes), []).split("\n")[1]).toBe(heading);
  });

  it("ends with each note on a line", () => {
    expect(measurementReport(measurement(), ["one", "two"]).split("\n").slice(-3)).toEqual(["one", "two", ""]);
  });
});
