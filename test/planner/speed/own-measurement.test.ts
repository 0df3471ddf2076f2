import { describe, expect, it } from "vitest";
import { measuredCard } from "../../../planner/speed/measured-names";
import type { SpeedMeasurement } from "../../../planner/speed/measurement";
import { measurementFor, measurementsOf } from "../../../planner/speed/own-measurement";
import { poolOf } from "../fixtures";

const MODEL = {
  engine: "vllm",
  engineVersion: "0.32.0",
  source: { kind: "huggingface", repository: "org/model", revision: "main" },
  kvCacheDtype: "auto",
} as const;

const MEASURED: SpeedMeasurement = {
  card: "L40S",
  engine: "vllm",
  engineVersion: "0.32.0",
  model: "org/model",
  tensorParallel: 1,
  pipelineParallel: 1,
  by: "test",
  measuredAt: "2026-11-24T10:00:00Z",
  complete: true,
  loads: [],
};

describe("own measurements", () => {
  it.each<[string, Partial<SpeedMeasurement>]>([
    ["another engine", { engine: "sglang" }],
    ["other weights", { model: "org/other" }],
    ["another format", { quantization: "fp8" }],
    ["another cache", { kvCacheDtype: "fp8" }],
  ])("of %s say nothing", (_, change) => {
    expect(measurementsOf(MODEL, [{ ...MEASURED, ...change }])).toEqual({ current: [], stale: [] });
  });

  it("of another version of the engine are told apart", () => {
    const old = { ...MEASURED, engineVersion: "0.31.0" };
    expect(measurementsOf(MODEL, [old, MEASURED])).toEqual({ current: [MEASURED], stale: [old] });
  });

  it("count for their card and layout alone, the newest of them", () => {
    const { shape } = poolOf("g6e.xlarge", 1);
    const own = { ...MEASURED, card: measuredCard(shape) };
    const newer = { ...own, measuredAt: "2026-11-24T11:00:00Z" };
    const measurements = [newer, own, { ...own, tensorParallel: 2 }];
    const layout = { tensorParallel: 1, pipelineParallel: 1 };
    expect(measurementFor({ measurements }, shape, layout)).toBe(newer);
    expect(measurementFor({ measurements }, shape, { ...layout, pipelineParallel: 2 })).toBeUndefined();
    expect(measurementFor({ measurements }, poolOf("g5.xlarge", 1).shape, layout)).toBeUndefined();
    expect(measurementFor({}, shape, layout)).toBeUndefined();
  });
});
