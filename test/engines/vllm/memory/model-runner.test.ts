import { describe, expect, it } from "vitest";
import { estimateVllm } from "../../../../engines/vllm/memory/estimate";
import { modelRunner, samplerOf } from "../../../../engines/vllm/memory/model-runner";
import { vllmConstants } from "../../../../engines/vllm/memory/versions";
import type { ModelArchitecture } from "../../../../planner/model/architecture";
import { fixtureArchitecture } from "../../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const models = {
  qwen3: fixtureArchitecture("Qwen--Qwen3-8B"),
  llama: fixtureArchitecture("meta-llama--Llama-3.1-8B"),
  llamaFp8: fixtureArchitecture("nvidia--Llama-3.1-70B-Instruct-FP8"),
  gemma2: fixtureArchitecture("google--gemma-2-9b-it"),
  qwen25vl: fixtureArchitecture("Qwen--Qwen2.5-VL-7B-Instruct"),
  qwen3moe: fixtureArchitecture("Qwen--Qwen3-30B-A3B"),
  hybrid: fixtureArchitecture("nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"),
  encoder: fixtureArchitecture("BAAI--bge-m3"),
} as const;

function served(version: string): readonly string[] {
  const { secondRunner } = vllmConstants(version).constants;
  return Object.entries(models)
    .filter(([, architecture]) => modelRunner({ architecture }, secondRunner) === "v2")
    .map(([name]) => name);
}

describe("vLLM's second model runner", () => {
  it.each([
    ["0.21.0", []],
    ["0.22.1", ["qwen3"]],
    ["0.23.0", ["qwen3", "llama"]],
    ["0.24.0", ["qwen3", "llama", "llamaFp8"]],
    ["0.25.0", ["qwen3", "llama", "llamaFp8", "gemma2", "qwen25vl"]],
    ["0.28.0", ["qwen3", "llama", "llamaFp8", "gemma2", "qwen25vl"]],
    ["0.29.0", ["qwen3", "llama", "llamaFp8", "gemma2", "qwen25vl", "qwen3moe", "hybrid"]],
  ])("of %s serves %j", (version, names) => {
    expect(served(version)).toEqual(names);
  });

  it.each([
    ["fp8, which vLLM makes at load", "fp8", "v2"],
    ["fp8 by blocks, made at load", "fp8-per-block", "v2"],
    ["awq, which only a checkpoint has", "awq", "v1"],
    ["bf16", "bf16", "v2"],
  ])("of 0.23.0 takes Llama-3.1 in 16 bits as %s: %s to %s", (_, quantization, runner) => {
    const { secondRunner } = vllmConstants("0.23.0").constants;
    expect(modelRunner({ architecture: models.llama, quantization }, secondRunner)).toBe(runner);
    expect(modelRunner({ architecture: models.llamaFp8, quantization: "fp8" }, secondRunner)).toBe("v1");
  });

  it("samples from a copy, in place from 0.26.0, and as requests do from 0.33.0", () => {
    const sampler = (version: string, vendor: "nvidia" | "amd" = "nvidia") =>
      samplerOf(vllmConstants(version).constants, "v2", "image", vendor);
    expect(["0.22.0", "0.25.1", "0.26.0", "0.32.0", "0.33.0"].map((version) => sampler(version))).toEqual([
      "float32Copy",
      "float32Copy",
      "inPlace",
      "inPlace",
      "flashinfer",
    ]);
    expect(sampler("0.33.0", "amd")).toBe("triton");
  });

  it("keeps FlashInfer's sampler of old images from cards of AMD", () => {
    const { constants } = vllmConstants("0.11.0");
    expect(samplerOf(constants, "v1", "image", "nvidia")).toBe("flashinfer");
    expect(samplerOf(constants, "v1", "image", "amd")).toBe("sort");
  });
});

describe("what it takes from the KV cache's room", () => {
  const gib = 2 ** 30;
  const overhead = (model: ModelArchitecture, version: string, pipelineParallel = 1) =>
    estimateVllm(
      memoryRequest(model, { engine: { version }, pipelineParallel, vllm: { enforceEager: true } }),
    ).stages.map(({ overheadGiB }) => overheadGiB);
  const logits = 1024 * models.qwen3.vocabSize;

  it("0.26.0: 6 bytes per logit less than 0.25.0; 0.27.0: the tables for penalties more", () => {
    const [v25, v26, v27] = ["0.25.0", "0.26.0", "0.27.0"].map((version) => overhead(models.qwen3, version)[0] ?? 0);
    expect((v25 ?? 0) - (v26 ?? 0)).toBeLessThanOrEqual((6 * logits) / gib + 1e-9);
    expect((v27 ?? 0) - (v26 ?? 0)).toBeCloseTo((4.125 * logits) / gib, 9);
  });

  it("0.33.0: 12 bytes per logit more than 0.32.0 at most, on the last stage alone", () => {
    const [before, after] = ["0.32.0", "0.33.0"].map((version) => overhead(models.qwen3, version, 2));
    expect(after?.[0]).toBe(before?.[0]);
    const more = (after?.[1] ?? 0) - (before?.[1] ?? 0);
    expect(more).toBeGreaterThan(1);
    expect(more).toBeLessThanOrEqual((12 * logits) / gib + 1e-9);
  });
});
