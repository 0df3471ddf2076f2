import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cards, gpuModels, onPremNode } from "../../../catalog/shapes";
import { cardVerdict } from "../../../planner/hardware/verdict";
import { parseModelConfigText } from "../../../planner/model/config-json";
import { planDeployment } from "../../../planner/plan";
import { planWithAdvice } from "../../../planner/plan-with-advice";
import type { ModelRequest, PoolRequest } from "../../../planner/request";
import { atNight } from "../../harness/property-runs";
import { environmentOf, gpuOf, modelOf, poolOf, shapeNamed } from "../../planner/fixtures";
import { read } from "../../planner/model/families/reading";

/** A machine of one's own with cards of this catalogue name. */
function ownGpu(card: string) {
  return gpuOf(onPremNode({ card, gpuCount: 1, vcpus: 32, memoryGiB: 256, localNvmeGB: 2000, networkGbps: 10 }));
}

const v100 = gpuOf(shapeNamed("VM.GPU3.1"));
const t4 = gpuOf(shapeNamed("g4dn.xlarge"));
const a10 = gpuOf(shapeNamed("VM.GPU.A10.1"));
const h100 = gpuOf(shapeNamed("BM.GPU.H100.8"));
const mi300x = gpuOf(shapeNamed("BM.GPU.MI300X.8"));
const mi210 = ownGpu("mi210");
const w7900 = ownGpu("radeon-pro-w7900");
const rx6900 = ownGpu("rx-6900-xt");
const mi50 = ownGpu("mi50-32gb");

const gptOss = modelOf("gpt-oss-20b");
const awq = modelOf("qwen3-4b-awq");
const plain = modelOf("qwen3-8b");
const fp8 = modelOf("qwen3-8b", { quantization: "fp8" });
const fp8Cache = modelOf("qwen3-8b", { kvCacheDtype: "fp8" });
const deepseekV4 = { ...plain, architecture: read("deepseek_v4") };
const ollama = modelOf("phi-4", { engine: "ollama", engineVersion: "0.32.15", quantization: "Q4_K_M" });

function reasons(model: ModelRequest, gpu: Parameters<typeof cardVerdict>[1]): string {
  return cardVerdict(model, gpu)
    .refusals.map(({ reason, remedy }) => `${reason} -> ${remedy}`)
    .join("; ");
}

describe("what starts on a card", () => {
  it.each([
    ["MXFP4 on a V100", gptOss, v100, "compute capability 7.0", "built for compute capability 7.5 or higher"],
    ["AWQ on a V100", awq, v100, "compute capability 7.0", "built for compute capability 7.5 or higher"],
    ["MXFP4 on a T4", gptOss, t4, "compute capability 7.5", "8.0 or higher for mxfp4 weights"],
    [
      "an FP8 cache on a T4",
      fp8Cache,
      t4,
      "8.0 or higher for kvCacheDtype fp8",
      "remove models.qwen3-8b.vllm.kvCacheDtype",
    ],
    [
      "FP8 weights on a W7900",
      fp8,
      w7900,
      "AMD Radeon PRO W7900 is gfx1100",
      "remove models.qwen3-8b.quantization or write another",
    ],
    ["an FP8 cache on a W7900", fp8Cache, w7900, "gfx1100", "write models.qwen3-8b.vllm.kvCacheDtype: bfloat16"],
    ["FP8 weights on an MI210", fp8, mi210, "gfx90a", "for fp8 weights"],
    ["vLLM on an RX 6900 XT", plain, rx6900, "gfx1030", "write models.qwen3-8b.engine: ollama, or take a pool"],
    ["vLLM on an MI50", plain, mi50, "gfx906", "-> take a pool with other cards"],
    ["Ollama on an MI50", ollama, mi50, "gfx906", "the image of Ollama 0.32.15"],
    [
      "a rerank model on a V100",
      modelOf("bge-reranker-v2-m3", { task: "rerank" }),
      v100,
      "7.0",
      '-> write models.bge-reranker-v2-m3.engineVersion: "0.19.1", or take a pool',
    ],
    ["DeepSeek-V4 on an A10", deepseekV4, a10, "9.0 or higher for the attention of deepseek_v4", "-> take a pool"],
    ["Gemma 2 on a T4", modelOf("gemma-2-9b-it"), t4, "no bfloat16", "do not run in float16"],
    ["BF16 by hand on a T4", modelOf("qwen3-8b", { quantization: "bf16" }), t4, "no bfloat16", "quantization: fp16"],
    [
      "BF16 by a flag on a T4",
      modelOf("qwen3-8b", { args: { dtype: "bfloat16" } }),
      t4,
      "no bfloat16",
      "args.dtype: half",
    ],
    ["a BF16 cache on a T4", modelOf("qwen3-8b", { kvCacheDtype: "bfloat16" }), t4, "8.0", "remove models.qwen3-8b"],
    [
      "MLA with an FP8 cache on an A10",
      modelOf("deepseek-v3", { kvCacheDtype: "fp8" }),
      a10,
      "8.9 or higher",
      "bfloat16",
    ],
  ] as const)("is not %s", (_, model, gpu, ...parts) => {
    for (const part of parts) {
      expect(reasons(model, gpu)).toContain(part);
    }
  });

  it.each([
    ["AWQ on a T4", awq, t4],
    ["FP8 weights on a T4", fp8, t4],
    ["FP8 weights on an A10", fp8, a10],
    ["an FP8 cache on an A10", fp8Cache, a10],
    ["MXFP4 on an A10", gptOss, a10],
    ["MXFP4 on a W7900", gptOss, w7900],
    ["AWQ on a W7900", awq, w7900],
    ["FP8 weights on an MI300X", fp8, mi300x],
    ["an FP8 cache on an H100", fp8Cache, h100],
    ["DeepSeek-V4 on an H100", deepseekV4, h100],
    ["Ollama on a V100", ollama, v100],
    ["Ollama on an RX 6900 XT", ollama, rx6900],
    ["Gemma 2 in float32 on a T4", modelOf("gemma-2-9b-it", { quantization: "fp32" }), t4],
  ] as const)("is %s", (_, model, gpu) => {
    expect(reasons(model, gpu)).toBe("");
  });

  it("names releases whose images have code for the card, and none that refuses it in turn", () => {
    const on = (engineVersion: string, model = plain) => reasons({ ...model, engineVersion }, v100);
    // Newer releases alone are known on such a card, and of those one with code for it.
    expect(on("0.8.5")).toMatch(/0\.10\.2.* -> .*"0\.11\.1" to "0\.19\.1"/);
    expect(on("0.10.2")).toMatch(/7\.5.* -> .*0\.11\.1 to 0\.19\.1/);
    expect(on("0.25.0")).toMatch(/7\.5.* -> .*0\.11\.1 to 0\.19\.1/);
    for (const version of ["0.11.1", "0.19.1"]) {
      expect(on(version), version).toBe("");
    }
    expect(reasons(plain, v100)).toContain('engineVersion: "0.19.1"');
    // MXFP4 needs another card whatever the release.
    expect(reasons(gptOss, v100)).not.toContain("engineVersion");
    expect(reasons({ ...plain, engineVersion: "0.8.5" }, t4)).toMatch(/-> .*"0\.10\.2" or newer/);
  });

  it("names only releases that keep every rule of the card, and have the model's class", () => {
    const cache = (engineVersion: string) => reasons({ ...fp8Cache, engineVersion }, a10);
    // 0.11.0 runs such a cache on the engine that is known, and not on this card.
    expect(cache("0.9.2")).toMatch(/0\.11\.1 or newer serve it .* -> .*engineVersion: "0\.11\.1" or newer/);
    expect(cache("0.11.0")).toContain("take vLLM 0.11.1 or newer");
    expect(cache("0.11.1")).toBe("");
    const withClass = (name: string) => ({ ...plain, architecture: { ...plain.architecture, classes: [name] } });
    expect(reasons(withClass("Qwen3ForCausalLM"), v100)).toContain('engineVersion: "0.19.1"');
    // Its class came with a release that has no code for the card any more.
    expect(reasons(withClass("DeepseekV4ForCausalLM"), v100)).not.toContain("engineVersion");
  });

  it("says what a card makes of formats that it only stores, and of BF16 checkpoints", () => {
    expect(cardVerdict(fp8, a10).notes).toEqual([
      "fp8 weights on NVIDIA A10 save memory, not time: it computes them in 16 bits",
    ]);
    expect(cardVerdict(plain, t4).notes).toEqual(["NVIDIA T4 has no bfloat16: vLLM computes in float16"]);
    expect(cardVerdict(fp8, h100).notes).toEqual([]);
    expect(cardVerdict(modelOf("qwen3-8b", { quantization: "fp8_per_block" }), w7900).notes).toEqual([
      "vLLM has a path for fp8-block weights on AMD Radeon PRO W7900, but no source shows it running",
    ]);
  });

  it("follows the cache that a checkpoint asks for by itself", () => {
    const config = {
      model_type: "qwen3",
      hidden_size: 2560,
      num_hidden_layers: 36,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      intermediate_size: 9728,
      vocab_size: 151936,
      max_position_embeddings: 40960,
      torch_dtype: "float16",
      quantization_config: { quant_method: "modelopt", quant_algo: "NVFP4", kv_cache_quant_algo: "FP8" },
    };
    const model = { ...plain, architecture: parseModelConfigText(JSON.stringify(config)) };
    expect(reasons(model, t4)).toContain("the fp8 KV cache that its checkpoint asks for");
    expect(reasons(model, a10)).toBe("");
    expect(reasons(model, h100)).toBe("");
  });

  it("asks more of an FP8 checkpoint of ModelOpt than of weights that vLLM makes", () => {
    const config = {
      model_type: "llama",
      hidden_size: 4096,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      intermediate_size: 14336,
      vocab_size: 128256,
      max_position_embeddings: 8192,
      torch_dtype: "float16",
      quantization_config: { quant_method: "modelopt", quant_algo: "FP8" },
    };
    const model = { ...plain, architecture: parseModelConfigText(JSON.stringify(config)) };
    expect(reasons(model, t4)).toContain("compute capability 8.0 or higher for fp8 weights");
    expect(reasons(model, a10)).toBe("");
  });

  it("is unknown for a card without abilities, and for a release that was not read", () => {
    const { abilities: _, ...unread } = v100;
    expect(cardVerdict(gptOss, unread)).toEqual({ refusals: [], notes: [] });
    expect(cardVerdict({ ...gptOss, engineVersion: "0.99.0" }, unread).unread?.reason).toContain(
      "0.99.0 asks of cards",
    );
    const shape = { ...shapeNamed("VM.GPU3.1"), gpu: unread };
    const { models, problems } = planWithAdvice(
      environmentOf([poolOf("VM.GPU3.1", 1, { shape })], [{ ...awq, concurrency: 1 }]),
    );
    expect(models).toHaveLength(1);
    expect(problems.filter(({ rule }) => rule === "unknown-card")).toEqual([
      expect.objectContaining({ severity: "advisory", subject: "pools.vm-gpu3-1" }),
    ]);
    const older = cardVerdict({ ...ollama, engineVersion: "0.12.0" }, v100);
    expect(older.refusals).toEqual([]);
    expect(older.notes.join()).toContain("which cards Ollama 0.12.0 supports was not read; 0.32.15 was");
  });

  it("is stated for every card of the catalogue", () => {
    expect(gpuModels.filter(({ abilities }) => abilities === undefined)).toEqual([]);
    for (const { vendor, model, abilities } of gpuModels) {
      expect(abilities?.gfx === undefined, model).toBe(vendor === "nvidia");
      expect(abilities?.source, model).toMatch(/read 2026-/);
    }
  });
});

describe("a plan", () => {
  const ownPool = (card: string): PoolRequest =>
    poolOf("VM.GPU.A10.1", 1, {
      name: "own",
      minNodes: 1,
      shape: onPremNode({ card, gpuCount: 1, vcpus: 32, memoryGiB: 256, localNvmeGB: 2000, networkGbps: 10 }),
    });

  it("refuses what cannot start, with pools of the same cloud that can", () => {
    const { models, problems } = planWithAdvice(environmentOf([poolOf("g4dn.12xlarge", 1)], [gptOss]));
    expect(models).toEqual([]);
    expect(problems[0]).toMatchObject({ severity: "mandatory", rule: "model-fits", subject: "models.gpt-oss-20b" });
    expect(problems[0]?.message).toContain("vLLM needs compute capability 8.0 or higher for mxfp4 weights");
    expect(problems[0]?.message).toMatch(
      /take a pool with other cards\n- change pools\.g4dn-12xlarge\.shape from g4dn\.12xlarge to g[56]e?\./,
    );
    expect(problems[0]?.message).not.toContain("five-step rule");
  });

  it("refuses vLLM on an own RX 6900 XT, which Ollama serves", () => {
    const vllm = planWithAdvice(environmentOf([ownPool("rx-6900-xt")], [modelOf("llama-3.2-1b-instruct")]));
    expect(vllm.problems[0]?.message).toContain("write models.llama-3-2-1b-instruct.engine: ollama");
    const small = modelOf("llama-3.2-1b-instruct", {
      ...ollama,
      architecture: modelOf("llama-3.2-1b-instruct").architecture,
    });
    expect(planDeployment(environmentOf([ownPool("rx-6900-xt")], [small])).models).toHaveLength(1);
  });

  it("shows what a card means for a model that runs on it", () => {
    const { models } = planDeployment(environmentOf([poolOf("VM.GPU.A10.1", 1)], [{ ...fp8, concurrency: 4 }]));
    expect(models[0]?.notes).toContain("fp8 weights on NVIDIA A10 save memory, not time: it computes them in 16 bits");
  });

  it("never puts a model on a card that the table refuses it", () => {
    const anyModel = fc.record({
      base: fc.constantFrom(plain, awq, gptOss, modelOf("gemma-2-9b-it"), modelOf("llama-3.2-1b-instruct")),
      kvCacheDtype: fc.constantFrom("auto" as const, "fp8" as const, "bfloat16" as const),
      quantization: fc.constantFrom(undefined, "fp8", "fp8_per_block", "fp16", "bf16", "mxfp4"),
    });
    fc.assert(
      fc.property(fc.constantFrom(...cards.map(({ name }) => name)), anyModel, (card, { base, ...changes }) => {
        const model = { ...base, ...changes, contextTokens: 512, concurrency: 1 };
        const { models } = planDeployment(environmentOf([ownPool(card)], [model]));
        expect(models.length === 0 || cardVerdict(model, ownGpu(card)).refusals.length === 0).toBe(true);
      }),
      { numRuns: atNight(60) },
    );
  });
});
