/**
 * Predictions next to start-ups and loads of real vLLM on an H100. Times per token and tokens per second are in no fit. Not independent:
 * the bytes per logit of the second runner (float32Copy), the rule which runner serves fp8 made at load, and times to the first token,
 * which come from these rows.
 */
import { describe, expect, it } from "vitest";
import { findModel } from "../../../catalog/models";
import { engineOf } from "../../../engines";
import { estimateVllm } from "../../../engines/vllm/memory/estimate";
import type { ModelArchitecture } from "../../../planner/model/architecture";
import { closedLoop } from "../../../planner/speed/load";
import { band, type SpeedQuestion } from "../../../planner/speed/margin";
import { setupOf } from "../../../planner/speed/setup";
import { architectureOf } from "../../bench/speed/resolve";
import fixture from "../../fixtures/vllm-h100/start-ups.json";
import { architectureOf as catalogueArchitecture, shapeNamed } from "../../planner/fixtures";
import { memoryRequest } from "./requests";

type Figure = "tpotMs" | "ttftMs" | "tokensPerSecond";

interface Load extends Readonly<Record<Figure, number>> {
  readonly inFlight: number;
  readonly notComparable?: readonly string[];
}

type StartUp = Omit<(typeof fixture.startUps)[number], "loads"> & {
  readonly quantization?: string;
  readonly loads: readonly Load[];
};

const startUps: readonly StartUp[] = fixture.startUps;

function estimateOf(startUp: StartUp) {
  return estimateVllm(
    memoryRequest(modelOf(startUp), {
      engine: { version: fixture.vllm },
      gpuModel: fixture.card,
      gpuMemoryGiB: fixture.memoryGiB,
      ...(startUp.quantization !== undefined && { quantization: startUp.quantization }),
    }),
  );
}

function modelOf({ model }: StartUp): ModelArchitecture {
  const architecture = findModel(model) === undefined ? architectureOf(model) : catalogueArchitecture(model);
  if (architecture === undefined) {
    throw new Error(`no configuration of ${model} is at hand`);
  }
  return architecture;
}

describe.each(startUps)("vLLM on an H100: $name", (startUp) => {
  const { GiB: measured, kvTokens, readySeconds } = startUp;
  const estimate = estimateOf(startUp);
  const [stage] = estimate.stages;
  const { belowGiB = Number.NaN, aboveGiB = Number.NaN, overhead } = stage ?? {};

  it("has the KV cache within the interval of its estimate", () => {
    expect(measured.pool).toBeGreaterThan(estimate.kvPoolGiB - aboveGiB);
    expect(measured.pool).toBeLessThan(estimate.kvPoolGiB + belowGiB);
    const tokenGiB = estimate.kvPoolGiB / estimate.kvTokens;
    expect(kvTokens).toBeGreaterThan(estimate.kvTokens - aboveGiB / tokenGiB);
    expect(kvTokens).toBeLessThan(estimate.kvTokens + belowGiB / tokenGiB);
  });

  it("loads the weights and has the limit as estimated, to half a percent", () => {
    expect(Math.abs(estimate.perGpu.weightsGiB / measured.weights - 1)).toBeLessThan(0.005);
    expect(estimate.perGpu.limitGiB).toBeCloseTo(measured.limit, 1);
  });

  it("has each part of the overhead within the interval", () => {
    const parts = {
      activation: overhead?.activationGiB,
      nonTorch: overhead?.nonTorchGiB,
      graphsInPool: overhead?.graphsGiB,
    };
    for (const [part, gib = Number.NaN] of Object.entries(parts)) {
      const error = measured[part as keyof typeof parts] - gib;
      expect(error, part).toBeLessThan(aboveGiB);
      expect(error, part).toBeGreaterThan(-belowGiB);
    }
  });

  it("counts graphs in the pool where the runner does", () => {
    expect(measured.graphsInPool > 0).toBe(startUp.runner === "v1");
    expect((overhead?.graphsGiB ?? 0) > 0).toBe(startUp.runner === "v1");
  });

  it("is ready within the expected warm-up", () => {
    expect(readySeconds).toBeLessThan(engineOf("vllm").warmUpSeconds);
  });
});

it("the second runner's pools are estimated within 0.25 GiB", () => {
  for (const startUp of startUps.filter(({ runner }) => runner === "v2")) {
    expect(Math.abs(estimateOf(startUp).kvPoolGiB - startUp.GiB.pool), startUp.name).toBeLessThan(0.25);
  }
});

interface Comparison {
  readonly name: string;
  readonly measured: number;
  readonly predicted: number;
  readonly factors: (confidence: number) => { readonly low: number; readonly high: number };
}

/** Every figure that is evidence (README of the fixture). */
function comparisons(question: SpeedQuestion, figure: Figure): readonly Comparison[] {
  return startUps.flatMap((startUp) => {
    const { setup, basis } = setupFor(startUp);
    return startUp.loads
      .filter(({ notComparable = [] }) => !notComparable.includes(figure))
      .map((load) => ({
        name: `${startUp.name} at ${load.inFlight}`,
        measured: load[figure],
        predicted: closedLoop(
          setup,
          { ...SHAPE, inputTokens: fixture.inputTokens, outputTokens: fixture.outputTokens },
          load.inFlight,
        )[figure],
        factors: (confidence: number) => band(question, setup, confidence, basis),
      }));
  });
}

const SHAPE = { sharedPrefixTokens: 0, lengthVariation: 0 };

function setupFor(startUp: StartUp) {
  const answer = setupOf(
    {
      architecture: modelOf(startUp),
      engine: "vllm",
      engineVersion: fixture.vllm,
      quantization: startUp.quantization,
      kvCacheDtype: "auto",
      maxNumSeqs: undefined,
    },
    shapeNamed(fixture.machine),
    { tensorParallel: 1, pipelineParallel: 1, gpusPerNode: 1, nodesPerReplica: 1 },
    { kvTokens: startUp.kvTokens },
  );
  if ("reason" in answer) {
    throw new Error(answer.reason);
  }
  return answer;
}

const isWithin = ({ measured, predicted, factors }: Comparison, confidence: number): boolean => {
  const { low, high } = factors(confidence);
  return measured >= predicted * low && measured <= predicted * high;
};

describe.each([
  ["time per output token", "tpot", "tpotMs", 25],
  ["output tokens per second", "tokensPerSecond", "tokensPerSecond", 25],
  ["time to the first token", "firstToken", "ttftMs", 24],
] as const)("vLLM on an H100: %s", (_, question, figure, count) => {
  const rows = comparisons(question, figure);

  it("lies within the band of 98 % at every load", () => {
    expect(rows).toHaveLength(count);
    expect(rows.filter((row) => !isWithin(row, 0.98)).map(({ name }) => name)).toEqual([]);
  });

  it("lies within the band of 80 % at three quarters of the loads", () => {
    expect(rows.filter((row) => isWithin(row, 0.8)).length / rows.length).toBeGreaterThanOrEqual(0.75);
  });
});
