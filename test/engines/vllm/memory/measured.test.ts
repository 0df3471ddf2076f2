import { describe, expect, it } from "vitest";
import { estimateVllm } from "../../../../engines/vllm/memory/estimate";
import type { ModelArchitecture } from "../../../../planner/model/architecture";
import { readModelConfig } from "../../../../planner/model/config-json";
import { OWN_ROWS, readFileOfStartUps } from "../../../bench/memory";
import { ModelIndex } from "../../../bench/memory/models";
import { type Outcome, outcomesOf } from "../../../bench/memory/outcome";
import { recipeOf } from "../../../bench/memory/recipes";
import { fixtureConfig } from "../../../planner/model/fixtures";
import { publishedModels } from "../../../planner/model/published-families";
import { memoryRequest } from "../requests";

const { outcomes, unresolved } = outcomesOf(readFileOfStartUps(OWN_ROWS), new ModelIndex());

/** Those of the laboratory that most constants come from, whose logs tell the whole start. */
const wholeLogs = outcomes.filter(({ startUp }) => startUp.gpu === "H100-80GB" && startUp.kvCacheGiB !== undefined);

function errors(of: readonly Outcome[], figure: "weightsPercent" | "tokensPercent"): number[] {
  return of.flatMap((outcome) => (outcome[figure] === undefined ? [] : Math.abs(outcome[figure])));
}

function published(name: string, quantization?: object): ModelArchitecture {
  const model = publishedModels.find((candidate) => candidate.name === name);
  if (model === undefined) {
    throw new Error(`${name} is not in published-families.ts`);
  }
  return readModelConfig(
    quantization === undefined ? model.config : { ...model.config, quantization_config: quantization },
    { name },
  );
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

describe("against start-up logs of vLLM", () => {
  it("estimates every start-up of the file", () => {
    expect(unresolved).toEqual([]);
    expect(outcomes.length).toBe(23);
  });

  it("weights per GPU: 0.05 % median, 0.25 % worst", () => {
    const off = errors(wholeLogs, "weightsPercent");
    expect(off.length).toBe(6);
    expect(median(off)).toBeLessThan(0.05);
    expect(Math.max(...off)).toBeLessThan(0.25);
  });

  it("KV tokens: 0.1 % median, 0.15 % worst", () => {
    const off = errors(wholeLogs, "tokensPercent");
    expect(off.length).toBe(6);
    expect(median(off)).toBeLessThan(0.1);
    expect(Math.max(...off)).toBeLessThan(0.15);
  });

  /** With nothing compiled yet: the interval's business, not the estimate's. */
  const isFirst = ({ startUp }: Outcome) => startUp.source.includes("the first start");
  const onOtherCards = ({ startUp }: Outcome) => startUp.kvTokens !== undefined && startUp.gpu !== "H100-80GB";

  it.each(outcomes.filter((outcome) => onOtherCards(outcome) && !isFirst(outcome)))(
    "$startUp.model on $card, vLLM $startUp.version: KV tokens within 3 %",
    ({ tokensPercent }) => {
      expect(Math.abs(tokensPercent ?? Number.NaN)).toBeLessThan(3);
    },
  );

  it("KV memory on a card without published tokens within 0.5 GiB", () => {
    const pool = outcomes.find(({ startUp: { gpu } }) => gpu === "A100")?.pool;
    expect(Math.abs(pool?.errorGiB ?? Number.NaN)).toBeLessThan(0.5);
  });

  it.each(outcomes.filter(({ startUp }) => startUp.weightsGiB !== undefined))(
    "weights of $startUp.model, $startUp.format, TP $startUp.tensorParallel: within 1 % of the log",
    ({ weightsPercent }) => {
      expect(Math.abs(weightsPercent ?? Number.NaN)).toBeLessThan(1);
    },
  );

  it("holds every measured pool in its interval, and calls none of the starts impossible", () => {
    const pools = outcomes.flatMap(({ startUp, pool }) => (pool === undefined ? [] : [{ startUp, pool }]));
    expect(pools.length).toBe(15);
    expect(pools.filter(({ pool }) => pool.where !== "inside" || !pool.right)).toEqual([]);
  });

  it("activation by version: 5.64 GiB on 0.16 and 2.23 GiB on 0.17 for a vocabulary of 151,936", () => {
    const qwen14b = readModelConfig({
      ...fixtureConfig("Qwen--Qwen3-32B"),
      intermediate_size: 17408,
      num_hidden_layers: 40,
      num_attention_heads: 40,
    });
    const overhead = (version: string): number =>
      estimateVllm(memoryRequest(qwen14b, { engine: { version }, utilization: 0.9 })).perGpu.overheadGiB;
    expect(overhead("0.11.1")).toBeCloseTo(5.64 + 0.13, 0);
    expect(overhead("0.16.0")).toBeCloseTo(5.64 + 0.13, 0);
    expect(overhead("0.17.0")).toBeCloseTo(2.23 + 0.13, 1);
  });
});

/** llm-compressor's fp8-dynamic recipe: weights per channel, everything but the head. */
const fp8Dynamic = recipeOf("fp8-dynamic", "").quantizationConfig ?? {};

describe("weights under tensor parallelism", () => {
  it("latent attention holds kv_b_proj a second time only where it is quantized, split like the first", () => {
    const full = published("deepseek-ai/DeepSeek-V2-Lite");
    const quantized = published("deepseek-ai/DeepSeek-V2-Lite", fp8Dynamic);
    const spared = published("deepseek-ai/DeepSeek-V2-Lite", { ...fp8Dynamic, ignore: ["lm_head", "re:.*kv_b_proj"] });
    const weights = (architecture: ModelArchitecture, tensorParallel: number): number =>
      estimateVllm(memoryRequest(architecture, { tensorParallel })).perGpu.weightsGiB;
    const copy = (27 * 4096 * 512 * 2) / 2 ** 30;
    const eightBit = copy / 2 + (27 * 4096 * 4) / 2 ** 30;
    expect(weights(quantized, 1) - weights(spared, 1)).toBeCloseTo(eightBit, 4);
    expect(weights(quantized, 2) - weights(spared, 2)).toBeCloseTo(eightBit / 2, 4);
    expect(weights(full, 1)).toBeGreaterThan(weights(spared, 1));
  });
});

describe("MXFP4 padding", () => {
  it("reproduces both measured sizes of gpt-oss-120b: 65.9 GiB with Marlin, 64.38 GiB with Triton", () => {
    const gptOss120b = readModelConfig({
      ...fixtureConfig("openai--gpt-oss-20b"),
      num_hidden_layers: 36,
      num_local_experts: 128,
      layer_types: Array.from({ length: 36 }, (_, layer) => (layer % 2 === 0 ? "sliding_attention" : "full_attention")),
    });
    const weights = (gpuModel: string, version: string): number =>
      estimateVllm(memoryRequest(gptOss120b, { gpuModel, engine: { version } })).perGpu.weightsGiB;
    expect(weights("NVIDIA A100-SXM4-80GB", "0.19.0")).toBeCloseTo(65.9, 0);
    expect(Math.abs(weights("NVIDIA H100 80GB HBM3", "0.16.0") / 64.38 - 1)).toBeLessThan(0.0005);
  });
});
