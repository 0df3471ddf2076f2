import { describe, expect, it } from "vitest";
import { imageEntry } from "../../../catalog/images";
import { cards, gpuModels, onPremNode } from "../../../catalog/shapes";
import { engineVersion } from "../../../engines";
import { vllmVersionOf } from "../../../engines/ray/releases";
import {
  attentionRules,
  buildRules,
  type CardRule,
  cacheRules,
  cardRulesRead,
  hasCardRules,
  rowOf,
  weightRules,
} from "../../../engines/vllm/card-rules";
import table from "../../../engines/vllm/card-rules.json";
import { cardRulesSchema } from "../../../engines/vllm/card-rules-schema";
import { vllmReleases } from "../../../engines/vllm/releases";
import { weightKinds } from "../../../engines/vllm/weight-formats";
import { cardVerdict } from "../../../planner/hardware/verdict";
import { parseModelConfigText } from "../../../planner/model/config-json";
import { planDeployment } from "../../../planner/plan";
import type { ModelRequest } from "../../../planner/request";
import { environmentOf, gpuOf, modelOf, poolOf } from "../../planner/fixtures";
import { read } from "../../planner/model/families/reading";

const machine = (card: string) =>
  onPremNode({ card, gpuCount: 2, vcpus: 64, memoryGiB: 512, localNvmeGB: 2000, networkGbps: 10 });
const refusals = (model: ModelRequest, card: string) => cardVerdict(model, gpuOf(machine(card))).refusals;

/** A checkpoint whose config.json declares these weights. */
function declaring(quantization: object, experts = false): ModelRequest {
  const config = {
    model_type: experts ? "qwen3_moe" : "qwen3",
    hidden_size: 2048,
    num_hidden_layers: 4,
    num_attention_heads: 32,
    num_key_value_heads: 4,
    head_dim: 128,
    intermediate_size: 6144,
    vocab_size: 151936,
    max_position_embeddings: 40960,
    torch_dtype: "bfloat16",
    ...(experts && { num_experts: 8, num_experts_per_tok: 2, moe_intermediate_size: 768, decoder_sparse_step: 1 }),
    quantization_config: quantization,
  };
  return { ...modelOf("qwen3-8b"), architecture: parseModelConfigText(JSON.stringify(config)) };
}

const compressed = (weights: object, inputs?: object) => ({
  quant_method: "compressed-tensors",
  config_groups: { group_0: { targets: ["Linear"], weights, input_activations: inputs ?? null } },
});
const modelOpt = (quant_algo: string) => ({ quant_method: "modelopt", quant_algo });
const blocks = { quant_method: "fp8", activation_scheme: "dynamic", weight_block_size: [128, 128] };

const plain = modelOf("qwen3-8b");
const mixed = declaring({
  quant_method: "modelopt",
  quant_algo: "MIXED_PRECISION",
  quantized_layers: {
    "model.layers.0.self_attn.q_proj": { quant_algo: "FP8" },
    "model.layers.0.mlp.up_proj": { quant_algo: "NVFP4", group_size: 16 },
  },
});

/** Releases that start it on a card: first and last, of 0.8.0 to 0.33.0. */
const spans: readonly (readonly [what: string, model: ModelRequest, card: string, from: string, until?: string])[] = [
  ["FP8 of ModelOpt", declaring(modelOpt("FP8")), "a100-80gb", "0.27.0"],
  ["FP8 of ModelOpt", declaring(modelOpt("FP8")), "l40s", "0.8.0"],
  ["mixed formats of ModelOpt", mixed, "a100-80gb", "0.24.0"],
  ["mixed formats of ModelOpt", mixed, "h100-pcie", "0.17.0"],
  ["NVFP4 of ModelOpt", declaring(modelOpt("NVFP4")), "a100-80gb", "0.9.0"],
  ["NVFP4 experts of ModelOpt", declaring(modelOpt("NVFP4"), true), "a100-80gb", "0.9.0"],
  ["MXFP8 of ModelOpt", declaring(modelOpt("MXFP8")), "a100-80gb", "0.20.0"],
  ["MXFP8 of ModelOpt", declaring(modelOpt("MXFP8")), "b200", "0.16.0"],
  ["FP8 of ModelOpt", declaring(modelOpt("FP8")), "mi300x", "0.21.0"],
  ["FP8 made at load", modelOf("qwen3-8b", { quantization: "fp8" }), "a100-80gb", "0.8.0"],
  ["FP8 made at load", modelOf("qwen3-8b", { quantization: "fp8" }), "t4", "0.14.0"],
  ["FP8 blocks", declaring(blocks), "a100-80gb", "0.9.0"],
  ["FP8 blocks", declaring(blocks), "l40s", "0.8.0"],
  ["FP8 experts", declaring({ quant_method: "fp8" }, true), "a100-80gb", "0.9.0"],
  ["packed FP8", declaring(compressed({ num_bits: 8, type: "float", strategy: "channel" })), "t4", "0.16.0"],
  ["packed FP8 blocks", declaring(compressed({ num_bits: 8, type: "float", strategy: "block" })), "a10", "0.16.0"],
  ["packed FP8 blocks", declaring(compressed({ num_bits: 8, type: "float", strategy: "block" })), "l40s", "0.11.0"],
  ["packed NVFP4", declaring(compressed({ num_bits: 4, type: "float", strategy: "tensor_group" })), "a10", "0.9.2"],
  ["packed INT4", declaring(compressed({ num_bits: 4, strategy: "group", group_size: 128 })), "t4", "0.12.0"],
  ["packed INT4", declaring(compressed({ num_bits: 4, strategy: "group", group_size: 128 })), "mi300x", "0.20.0"],
  ["AWQ in bfloat16", declaring({ quant_method: "awq", bits: 4 }), "mi300x", "0.24.0"],
  ["AWQ in bfloat16", declaring({ quant_method: "awq", bits: 4 }), "a10", "0.8.0"],
  ["bitsandbytes", declaring({ quant_method: "bitsandbytes", load_in_4bit: true }), "mi300x", "0.17.0"],
  ["MXFP4", modelOf("gpt-oss-20b"), "a10", "0.10.1"],
  ["MXFP4 made at load", modelOf("qwen3-8b", { quantization: "mxfp4" }), "a10", "0.28.0"],
  ["16 bits", plain, "a10", "0.8.0"],
  ["16 bits", plain, "v100-16gb", "0.11.1", "0.19.1"],
  ["16 bits", plain, "b200", "0.9.0"],
  ["16 bits", plain, "rtx-5090", "0.9.2"],
  ["16 bits", plain, "mi300x", "0.14.0"],
  ["an FP8 cache", modelOf("qwen3-8b", { kvCacheDtype: "fp8" }), "a10", "0.11.1"],
  ["an FP8 cache", modelOf("qwen3-8b", { kvCacheDtype: "fp8" }), "l40s", "0.11.0"],
  ["an FP8 cache of latents", modelOf("deepseek-v3", { kvCacheDtype: "fp8" }), "l40s", "0.18.0"],
  ["an FP8 cache of latents", modelOf("deepseek-v3", { kvCacheDtype: "fp8" }), "rtx-5090", "0.18.0"],
  ["an FP8 cache of latents", modelOf("deepseek-v3", { kvCacheDtype: "fp8" }), "h100-pcie", "0.10.2"],
  ["compressed attention", { ...plain, architecture: read("deepseek_v4") }, "h100-pcie", "0.20.0"],
  ["compressed attention", { ...plain, architecture: read("deepseek_v4") }, "rtx-5090", "0.24.0"],
];

const { releases } = vllmReleases;
const newest = releases.at(-1) ?? "";

const everyRule: readonly CardRule[] = [...buildRules, ...weightRules, ...cacheRules, ...attentionRules];

describe("the rules of cards by release", () => {
  it("follow their schema, and name known kinds of weights", () => {
    expect(cardRulesSchema.safeParse(table).error?.issues ?? []).toEqual([]);
    const kinds = weightKinds.map(({ weights }) => weights);
    expect([...new Set(weightRules.flatMap(({ weights }) => weights))].sort()).toEqual([...kinds].sort());
  });

  it("were read of every release whose options were read, of the pinned one and of those in Ray", () => {
    expect(cardRulesRead).toEqual({ since: releases[0], until: newest });
    for (const version of [...releases, engineVersion("vllm"), vllmVersionOf(engineVersion("ray"))]) {
      expect(hasCardRules(version), version).toBe(true);
    }
  });

  it("have at most one row for a release, oldest first", () => {
    for (const { rows, source } of everyRule) {
      const held = rows.flatMap((row) => releases.filter((version) => rowOf({ rows: [row], source }, version)));
      expect(held, source).toEqual(releases.filter((version) => held.includes(version)));
      expect(new Set(held).size, source).toBe(held.length);
    }
  });

  it("say of the pinned release's images what the images' own record says", () => {
    for (const [vendor, image] of [
      ["nvidia", "vllm-cuda"],
      ["amd", "vllm-rocm"],
    ] as const) {
      const rule = buildRules.find((each) => each.vendor === vendor);
      const { since: _, ...needs } = (rule && rowOf(rule, engineVersion("vllm"))) ?? {};
      const { source: __, ...gpus } = imageEntry(image).gpus ?? { source: "" };
      expect(needs).toEqual(gpus);
    }
  });

  it.each(spans.map(([what, model, card, from, until = newest]) => ({ what, model, card, from, until })))(
    "let $what on $card start from $from to $until",
    ({ model, card, from, until }) => {
      const able = releases.filter((version) => refusals({ ...model, engineVersion: version }, card).length === 0);
      expect(able).toEqual(releases.slice(releases.indexOf(from), releases.indexOf(until) + 1));
    },
  );

  it("name the release that would do, where a newer one would", () => {
    const [refusal] = refusals({ ...declaring(modelOpt("FP8")), engineVersion: "0.11.2" }, "a100-80gb");
    expect(refusal?.reason).toContain("vLLM 0.11.2 needs compute capability 8.9");
    expect(refusal?.remedy).toContain("take vLLM 0.27.0 or newer");
    const [never] = refusals({ ...plain, engineVersion: "0.30.0" }, "v100-16gb");
    expect(never?.remedy).not.toContain("or newer");
  });

  it("hold for the vLLM in Ray", () => {
    const onRay = { ...declaring(modelOpt("FP8")), engine: "ray" as const, engineVersion: "2.56.0" };
    expect(refusals(onRay, "a10")).toHaveLength(1);
    expect(refusals({ ...onRay, engineVersion: "2.60.0" }, "a10")).toEqual([]);
  });
});

describe("a release that was not read", () => {
  const unread = ["0.34.0", "0.33.1", "0.15.2", "0.33.0.dev7"];

  it.each(unread)("is neither refused nor planned: %s", (version) => {
    const model = { ...plain, engineVersion: version, concurrency: 1 };
    const verdict = cardVerdict(model, gpuOf(machine("a100-80gb")));
    expect(verdict).toMatchObject({ refusals: [], unread: { remedy: expect.stringContaining('"0.33.0"') } });
    const pool = poolOf("VM.GPU.A10.1", 1, { name: "own", minNodes: 1, shape: machine("a100-80gb") });
    const { models, problems } = planDeployment(environmentOf([pool], [model]));
    expect(models).toEqual([]);
    expect(problems[0]).toMatchObject({ severity: "mandatory", rule: "model-fits", subject: "models.qwen3-8b" });
    expect(problems[0]?.message).toContain(`vLLM ${version} asks of cards was not read`);
  });

  it("is not planned on CPUs either", () => {
    const model = modelOf("qwen2.5-7b-instruct", { engineVersion: "0.34.0", concurrency: 1 });
    const cpus = { ...machine("a100-80gb"), gpu: undefined };
    const plan = (each: ModelRequest) =>
      planDeployment(environmentOf([poolOf("VM.GPU.A10.1", 1, { name: "own", minNodes: 1, shape: cpus })], [each]));
    expect(plan(model).problems[0]?.message).toContain("vLLM 0.34.0 asks of CPUs was not read");
    expect(plan({ ...model, engineVersion: "0.32.0" }).problems).toEqual([]);
  });

  it("says so beside a service level that no layout keeps", () => {
    const traffic = {
      requestsPerSecond: 1,
      inputTokens: 500,
      outputTokens: 200,
      peakFactor: 1,
      sharedPrefixTokens: 0,
      lengthVariation: 1,
    };
    const serviceLevel = { tpotMs: 2, percentile: 99, confidence: 0.8 } as const;
    const model = modelOf("qwen3-8b", { engineVersion: "0.34.0", concurrency: 1, traffic, serviceLevel });
    const pool = poolOf("VM.GPU.A10.1", 1, { minNodes: 1 });
    const [problem] = planDeployment(environmentOf([pool], [model])).problems;
    expect(problem?.message).toMatch(/below the floor .*; what vLLM 0\.34\.0 asks of cards was not read/);
    expect(problem?.remedies?.join()).toContain('engineVersion: "0.33.0"');
  });

  it("is refused all the same where every release would be", () => {
    const model = modelOf("qwen3-8b", { quantization: "bf16", engineVersion: "0.34.0" });
    expect(refusals(model, "t4")).toHaveLength(1);
  });

  it("is none of those that were: each card of the catalogue gets an answer", () => {
    for (const { name } of cards.filter(({ gpu }) =>
      gpuModels.some(({ model, abilities }) => model === gpu && abilities),
    )) {
      for (const version of ["0.8.0", "0.20.0", "0.33.0"]) {
        expect(cardVerdict({ ...plain, engineVersion: version }, gpuOf(machine(name))).unread).toBeUndefined();
      }
    }
  });
});
