/** CPUs, of which no datasheet says enough, are sized for once the model was measured on them. */
import { describe, expect, it } from "vitest";
import { onPremNode } from "../../../catalog/shapes";
import { planWithAdvice } from "../../../planner/plan-with-advice";
import type { ModelRequest } from "../../../planner/request";
import { measuredCard, measuredModel } from "../../../planner/speed/measured-names";
import type { MeasuredLoad } from "../../../planner/speed/measurement";
import { environmentOf, modelOf, poolOf } from "../fixtures";

const shape = onPremNode({ gpuCount: 0, vcpus: 8, memoryGiB: 32, localNvmeGB: 0, networkGbps: 1 });

const chat = modelOf("qwen2.5-0.5b-instruct", {
  name: "chat",
  engine: "ollama",
  engineVersion: "0.32.15",
  quantization: "Q4_K_M",
  contextTokens: 4096,
  concurrency: 2,
  source: { kind: "ollama", tag: "qwen2.5:0.5b" },
});

/** 50 ms for each token of one request, and 70 ms where two run. */
const load = (inFlight: number, tpotMs: number): MeasuredLoad => ({
  inFlight,
  inputTokens: 200,
  outputTokens: 50,
  sharedPrefixTokens: 0,
  requests: 20,
  failed: 0,
  ttftMs: { median: 400 },
  tpotMs: { median: tpotMs },
  tokensPerSecond: { value: (inFlight * 50_000) / (400 + 50 * tpotMs) },
});

const measurements: ModelRequest["measurements"] = [
  {
    card: measuredCard(shape),
    engine: chat.engine,
    engineVersion: chat.engineVersion,
    model: measuredModel(chat.source),
    quantization: "Q4_K_M",
    tensorParallel: 1,
    pipelineParallel: 1,
    by: "test",
    measuredAt: "2026-11-24T10:00:00Z",
    complete: true,
    loads: [load(1, 50), load(2, 70)],
  },
];

function planned(changes: Partial<ModelRequest>) {
  return planWithAdvice(
    environmentOf([{ ...poolOf("m7i.2xlarge", 3, { name: "laptop", role: "cpu" }), shape }], [{ ...chat, ...changes }]),
  );
}

const refusals = (changes: Partial<ModelRequest>) =>
  planned(changes).problems.filter(({ severity }) => severity === "mandatory");

describe("CPUs that the model was measured on", () => {
  it("keep a level that was measured, and are refused below their floor with the remedy", () => {
    const [model] = planned({ measurements, serviceLevel: { tpotMs: 500 } }).models;
    expect(model?.speed?.basis).toBe("own");
    expect(refusals({ measurements, serviceLevel: { tpotMs: 500 } })).toEqual([]);
    const [refusal] = refusals({ measurements, serviceLevel: { tpotMs: 5 } });
    expect(refusal).toMatchObject({ rule: "service-level", subject: "models.chat" });
    expect(refusal?.message).toContain("5 ms per token is below the floor of");
    expect(refusal?.message).toContain("models.chat.serviceLevel.tpotMs");
  });

  it("hold no level where nobody measured", () => {
    const [model] = planned({ serviceLevel: { tpotMs: 5 } }).models;
    expect(model?.noSpeed).toContain("the memory bandwidth of");
    expect(refusals({ serviceLevel: { tpotMs: 5 } })).toEqual([]);
  });
});
