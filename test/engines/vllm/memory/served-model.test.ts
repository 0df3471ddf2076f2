import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parallelismProblems } from "../../../../engines/vllm/divisibility";
import { estimateVllm } from "../../../../engines/vllm/memory/estimate";
import type { VllmOptions } from "../../../../engines/vllm/memory/options";
import type { VllmRequest } from "../../../../engines/vllm/memory/request";
import { asServed, servedCacheDtype } from "../../../../engines/vllm/memory/served-model";
import type { KvCacheDtype } from "../../../../planner/memory/kv-cache";
import type { ModelArchitecture } from "../../../../planner/model/architecture";
import { readModelConfig } from "../../../../planner/model/config-json";
import { countParameters } from "../../../../planner/model/parameters";
import { fixtureArchitecture, fixtureConfig } from "../../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");
const vlConfig = fixtureConfig("Qwen--Qwen2.5-VL-7B-Instruct");
const vl = readModelConfig(vlConfig);
const mixture = fixtureArchitecture("Qwen--Qwen3-235B-A22B-FP8");

const estimate = (architecture: ModelArchitecture, vllm: VllmOptions = {}, changes: Partial<VllmRequest> = {}) =>
  estimateVllm(memoryRequest(architecture, { vllm, ...changes }));
const weights = (...question: Parameters<typeof estimate>) => estimate(...question).perGpu.weightsGiB;
const version = (name: string) => ({ engine: { version: name } }) as const;

describe("--dtype", () => {
  it("doubles weights and an auto cache in float32, and leaves a cache whose type is named", () => {
    expect(weights(llama, { dtype: "float32" }) / weights(llama)).toBeCloseTo(2, 2);
    const cache = (dtype: VllmOptions["dtype"], kvCacheDtype: KvCacheDtype) =>
      estimate(llama, { dtype }, { kvCacheDtype }).perGpu.kvCacheGiB;
    expect(cache("float32", "auto")).toBe(2 * cache(undefined, "auto"));
    expect(cache("float32", "bfloat16")).toBe(cache(undefined, "bfloat16"));
    expect(cache("float32", "fp8")).toBe(cache(undefined, "fp8"));
  });

  it("is all the same between float16 and bfloat16", () => {
    const [half, own] = [estimate(llama, { dtype: "float16" }), estimate(llama)];
    expect([half.perGpu, half.kvPoolGiB, half.kvTokens]).toEqual([own.perGpu, own.kvPoolGiB, own.kvTokens]);
  });

  it("counts once, as a quantization or as a flag", () => {
    expect(estimate(llama, {}, { quantization: "fp32" })).toEqual(estimate(llama, { dtype: "float32" }));
  });

  it("leaves quantized weights as they are, and doubles what stays beside them", () => {
    const layers = weights(llama, {}, { quantization: "fp8" });
    const wide = weights(llama, { dtype: "float32" }, { quantization: "fp8" });
    const tables = (2 * 128_256 * 4096 * 2) / 2 ** 30;
    expect(wide - layers).toBeCloseTo(tables, 1);
  });

  it("makes 16 bits of a float32 checkpoint when nothing is asked for", () => {
    const float32 = readModelConfig({ ...fixtureConfig("meta-llama--Llama-3.1-8B"), torch_dtype: "float32" });
    expect(estimate(float32).perGpu).toEqual(estimate(llama).perGpu);
    expect(weights(float32, { dtype: "float32" })).toBe(weights(llama, { dtype: "float32" }));
  });
});

describe("an fp8 KV cache that the checkpoint asks for", () => {
  const asking = (quantization_config: object) =>
    readModelConfig({ ...fixtureConfig("meta-llama--Llama-3.1-8B"), quantization_config });
  const scheme = { num_bits: 8, type: "float", strategy: "tensor", dynamic: false };
  const modelopt = asking({ quant_method: "modelopt", quant_algo: "FP8", kv_cache_scheme: scheme });
  const compressed = asking({ quant_method: "compressed-tensors", config_groups: {}, kv_cache_scheme: scheme });

  const taken = (architecture: ModelArchitecture, name: string, kvCacheDtype: KvCacheDtype = "auto") =>
    servedCacheDtype({ architecture, kvCacheDtype, ...version(name) });

  it("is followed under auto from 0.14.0 for ModelOpt, from 0.16.0 for compressed-tensors", () => {
    expect(["0.13.0", "0.14.0", "0.33.0"].map((name) => taken(modelopt, name))).toEqual(["auto", "fp8", "fp8"]);
    expect(["0.14.0", "0.16.0", "0.33.0"].map((name) => taken(compressed, name))).toEqual(["auto", "fp8", "fp8"]);
  });

  it("gave way to no other wish from 0.16.0 to 0.21, with compressed-tensors", () => {
    const named = ["0.14.0", "0.16.0", "0.21.0", "0.22.0"].map((name) => taken(compressed, name, "bfloat16"));
    expect(named).toEqual(["bfloat16", "fp8", "fp8", "bfloat16"]);
    expect(taken(modelopt, "0.33.0", "bfloat16")).toBe("bfloat16");
  });

  it("is not read from ModelOpt's older file beside the config", () => {
    const beside = fixtureArchitecture("nvidia--Llama-3.1-70B-Instruct-FP8");
    expect(beside.quantization.fp8KvCache).toBe("unread");
    expect(taken(beside, "0.33.0")).toBe("auto");
  });

  it("decides the figure, and a note says so", () => {
    const now = estimate(modelopt);
    expect(now.perGpu.kvCacheGiB).toBe(estimate(llama).perGpu.kvCacheGiB / 2);
    expect(now.notes.join()).toContain("vLLM 0.33.0 follows it");
    const then = estimate(modelopt, {}, version("0.13.0"));
    expect(then.perGpu.kvCacheGiB).toBe(estimate(llama).perGpu.kvCacheGiB);
    expect(then.notes.join()).toContain("vLLM 0.13.0 takes auto all the same");
  });
});

describe("towers for images", () => {
  const tower = (countParameters(vl).vision * 2) / 2 ** 30;

  it("are left out under --language-model-only, and where no request may hold an image or a video", () => {
    for (const vllm of [{ languageModelOnly: true }, { mediaPerPrompt: { image: 0, video: 0 } }]) {
      expect(weights(vl) - weights(vl, vllm)).toBeCloseTo(tower, 1);
      expect(estimate(vl, vllm).perGpu.overheadGiB).toBeLessThan(estimate(vl).perGpu.overheadGiB);
    }
    expect(weights(vl, { mediaPerPrompt: { image: 0 } })).toBe(weights(vl));
    expect(weights(llama, { languageModelOnly: true })).toBe(weights(llama));
  });

  it("are loaded all the same before 0.17.0, and a note says so", () => {
    const old = estimate(vl, { languageModelOnly: true }, version("0.16.0"));
    expect(old.perGpu.weightsGiB).toBe(weights(vl, {}, version("0.16.0")));
    expect(old.notes.join()).toContain("loads the tower");
  });

  it("are whole on every GPU under --mm-encoder-tp-mode data, where the family can", () => {
    const pair = { tensorParallel: 2 };
    const data = { encoderParallelism: "data" } as const;
    const whole = weights(vl, data, pair) - weights(vl, {}, pair);
    expect(whole).toBeGreaterThan(0.45 * tower);
    expect(whole).toBeLessThan(0.55 * tower);
    expect(weights(vl, data)).toBe(weights(vl));
    const gemma = fixtureArchitecture("google--medgemma-27b-it");
    expect(weights(gemma, data, pair)).toBe(weights(gemma, {}, pair));
    expect(estimate(gemma, data, pair).notes.join()).toContain("cannot keep this family's tower whole");
  });
});

describe("--enable-expert-parallel", () => {
  const eight = { tensorParallel: 8 };

  it("keeps experts whole: blocks that tensor parallelism would cut are no reason to refuse", () => {
    expect(parallelismProblems(mixture, 8, 1).join()).toContain("1536");
    expect(parallelismProblems(mixture, 8, 1, undefined, { expertParallel: true })).toEqual([]);
  });

  it("takes what the experts cut by tensor parallelism take, where they come out even", () => {
    const plain = fixtureArchitecture("Qwen--Qwen3-235B-A22B");
    const [split, whole] = [{}, { expertParallel: true }].map((vllm) => weights(plain, vllm, eight));
    expect(whole).toBeCloseTo(split ?? 0, 1);
  });

  it("counts the GPU with one expert more where they do not", () => {
    const odd = readModelConfig({ ...fixtureConfig("Qwen--Qwen3-235B-A22B"), num_experts: 129 });
    const more = weights(odd, { expertParallel: true }, eight) - weights(odd, {}, eight);
    // 94 layers, three matrices of 4096 × 1536 in 16 bits each; 17 experts instead of 129 / 8
    expect(more).toBeCloseTo(((17 - 129 / 8) * 94 * 3 * 4096 * 1536 * 2) / 2 ** 30, 0);
  });

  it("is refused for models without experts", () => {
    expect(parallelismProblems(llama, 2, 1, undefined, { expertParallel: true }).join()).toContain(
      "needs a model with",
    );
  });
});

describe("--moe-backend", () => {
  it("decides how MXFP4 experts are padded, whatever the card", () => {
    const gptOss = fixtureArchitecture("openai--gpt-oss-20b");
    const on = (gpuModel: string, moeBackend?: VllmOptions["moeBackend"]) =>
      weights(gptOss, { moeBackend }, { gpuModel });
    expect(on("NVIDIA H100 80GB HBM3", "marlin")).toBe(on("NVIDIA L40S"));
    expect(on("NVIDIA L40S", "triton")).toBe(on("NVIDIA H100 80GB HBM3"));
    expect(on("NVIDIA H100 80GB HBM3", "flashinfer_trtllm")).toBe(on("NVIDIA B200"));
  });
});

describe("the model as it is served", () => {
  it("is one object per question, so that what is computed for it is kept", () => {
    const request = memoryRequest(vl, { vllm: { languageModelOnly: true } });
    expect(asServed(request).architecture).toBe(asServed({ ...request }).architecture);
    expect(asServed(memoryRequest(vl)).architecture).not.toBe(asServed(request).architecture);
  });

  it("fits in less, never in more, with a tower less or no graphs", () => {
    fc.assert(
      fc.property(fc.constantFrom("0.17.0", "0.19.0", "0.33.0"), fc.constantFrom(1, 2, 4), (name, tensorParallel) => {
        const changes = { ...version(name), tensorParallel };
        const whole = estimate(vl, {}, changes).kvPoolGiB;
        expect(estimate(vl, { languageModelOnly: true }, changes).kvPoolGiB).toBeGreaterThanOrEqual(whole);
        expect(estimate(vl, { enforceEager: true }, changes).kvPoolGiB).toBeGreaterThanOrEqual(whole);
      }),
    );
  });
});
