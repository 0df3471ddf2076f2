import { describe, expect, it } from "vitest";
import type { ModelPlan } from "../../planner/types";
import { environmentText, problemsWith, rightEnvironment } from "./config/samples";
import { planText, refusalsOf } from "./planned";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const llama = { model: "llama-3.1-8b-instruct", engine: "ollama", contextTokens: 8192, concurrency: 2 };
const qwen = { model: "qwen2.5-7b-instruct", contextTokens: 8192, concurrency: 2 };

async function planned(chat: object): Promise<{ model: ModelPlan | undefined; refusals: string[] }> {
  const { plan } = await planText(environmentText({ ...rightEnvironment, models: { chat } }));
  return {
    model: plan.models.find(({ name }) => name === "chat"),
    refusals: refusalsOf(plan).map(({ rule }) => rule),
  };
}

describe("a tag that states a format", () => {
  it("is planned in it: as if quantization said it", async () => {
    const stated = await planned({ ...llama, source: "ollama://llama3.1:8b-instruct-fp16" });
    const written = await planned({ ...llama, source: "ollama://llama3.1:8b-instruct-x", quantization: "F16" });
    expect(stated.model?.quantization).toBe("F16");
    expect(stated.model?.memoryPerGpu).toEqual(written.model?.memoryPerGpu);
    expect(stated.model?.weightsGB).toBeCloseTo(16.1, 1);
    expect(stated.model?.modelStorageGiB).toBe(written.model?.modelStorageGiB);
  });

  it("of a repository on Hugging Face counts too; without one its registry's usual format does", async () => {
    const source = "ollama://hf.co/bartowski/Qwen2.5-7B-Instruct-GGUF";
    const ollama = { ...qwen, engine: "ollama" };
    expect((await planned({ ...ollama, source: `${source}:Q6_K` })).model?.quantization).toBe("Q6_K");
    expect((await planned({ ...ollama, source })).model?.quantization).toBe("Q4_K_M");
  });

  it.each([
    [{ source: "ollama://llama3.1:8b-instruct-fp16", quantization: "Q4_K_M" }, "quantization", "F16"],
    [{ source: "ollama://llama3.1:8b", quantization: "F16" }, "quantization", "Q4_K_M"],
    [{ source: "ollama://hf.co/unsloth/Llama-3.1-8B-Instruct-GGUF:UD-Q4_K_XL" }, "source", "Q4_K_XL"],
    [{ source: "ollama://gpt-oss:120b-cloud" }, "source", "ollama.com"],
  ])("is refused where it is contradicted, unknown or hosted: %o", (settings, key, allowed) => {
    expect(problemsWith({ models: { chat: { ...llama, ...settings } } })).toEqual([
      expect.objectContaining({ path: `models.chat.${key}`, allowed: expect.stringContaining(allowed) }),
    ]);
  });

  it.each([
    { source: "ollama://llama3.1:8b-instruct-fp16", quantization: "f16" },
    { source: "ollama://hf.co/unsloth/Llama-3.1-8B-Instruct-GGUF:UD-Q4_K_XL", quantization: "Q5_K_S" },
  ])("is accepted where it is repeated or replaced: %o", (settings) => {
    expect(problemsWith({ models: { chat: { ...llama, ...settings } } })).toEqual([]);
  });
});

describe("a source that states another size", () => {
  it.each([
    { ...qwen, engine: "ollama", source: "ollama://qwen2.5:14b" },
    { ...qwen, engine: "ollama", source: "ollama://hf.co/bartowski/Qwen2.5-3B-Instruct-GGUF:Q6_K" },
    { ...qwen, source: `hf://Qwen/Qwen2.5-14B-Instruct@${COMMIT}` },
    { ...qwen, source: "s3://models/qwen-72b" },
  ])("is refused: $source", async (chat) => {
    expect((await planned(chat)).refusals).toEqual(["source-name"]);
  });

  it.each([
    { ...qwen, engine: "ollama", source: "ollama://qwen2.5:7b-instruct" },
    { ...qwen, source: `hf://acme/qwen-8b-legal@${COMMIT}` },
    { ...qwen, source: "s3://models/our-tuned-qwen" },
  ])("is planned where it is the model's: $source", async (chat) => {
    expect((await planned(chat)).refusals).toEqual([]);
  });
});

describe("a checkpoint that states another format", () => {
  const at = (repository: string) => `hf://${repository}@${COMMIT}`;

  it.each([
    [{ source: at("Qwen/Qwen2.5-7B-Instruct-AWQ") }, "quantization: awq"],
    [{ source: at("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4") }, "quantization: gptq"],
    [{ source: at("RedHatAI/Qwen2.5-7B-Instruct-FP8-dynamic") }, "quantization: fp8"],
    [{ source: at("RedHatAI/Qwen2.5-7B-Instruct-FP8-dynamic"), quantization: "awq" }, "quantization: fp8"],
    [{ source: at("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8") }, "give config"],
    [{ source: at("bartowski/Qwen2.5-7B-Instruct-GGUF") }, "engine: ollama"],
    [{ model: "qwen3-4b-awq", source: at("Qwen/Qwen3-4B-BF16") }, "give config"],
  ])("is refused with what to write: %o", async (settings, fix) => {
    const { plan } = await planText(
      environmentText({ ...rightEnvironment, models: { chat: { ...qwen, ...settings } } }),
    );
    expect(refusalsOf(plan).map(({ rule, message }) => [rule, message.includes(fix)])).toEqual([["source-name", true]]);
  });

  it.each([
    [{ source: at("Qwen/Qwen2.5-7B-Instruct-AWQ"), quantization: "awq" }, 5.6],
    [{ source: at("RedHatAI/Qwen2.5-7B-Instruct-FP8-dynamic"), quantization: "fp8" }, 8.7],
  ])("is counted and loaded as it is once that is written: %o", async (settings, weightsGB) => {
    const { model, refusals } = await planned({ ...qwen, ...settings });
    expect(refusals).toEqual([]);
    // vLLM refuses a --quantization that differs from the checkpoint's own.
    expect(model?.loadAs).toBeUndefined();
    expect(model?.weightsGB).toBeCloseTo(weightsGB, 0);
  });

  it("is made at load from a checkpoint that states plain numbers", async () => {
    const { model, refusals } = await planned({ ...qwen, source: at("acme/Qwen2.5-7B-BF16"), quantization: "fp8" });
    expect([refusals, model?.loadAs]).toEqual([[], { quantization: "fp8" }]);
  });
});
