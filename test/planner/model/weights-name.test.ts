import { describe, expect, it } from "vitest";
import { findModel, modelNames } from "../../../catalog/models";
import { isSizeOf, kindsOf, statedFileType, statedKind, statedSizes } from "../../../planner/model/weights-name";
import { readCatalogueModel } from "../../../stacks/architectures";

describe("the format in a checkpoint's name", () => {
  it.each([
    ["Qwen/Qwen2.5-7B-Instruct-AWQ", "int4", "awq"],
    ["Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4", "int4", "gptq"],
    ["Qwen/Qwen2.5-72B-Instruct-GPTQ-Int8", "int8", undefined],
    ["RedHatAI/Qwen3-32B-FP8-dynamic", "fp8", "fp8"],
    ["RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "int4", "int4"],
    ["RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8", "int8", "int8"],
    ["nvidia/DeepSeek-R1-0528-NVFP4", "nvfp4", "nvfp4"],
    ["nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "plain", "bf16"],
    ["unsloth/Llama-3.2-1B-Instruct-bnb-4bit", "bitsandbytes", "bitsandbytes"],
    ["bartowski/Qwen2.5-7B-Instruct-GGUF", "gguf", undefined],
    ["cpatonn/Qwen3-8B-4bit", "int4", "int4"],
    ["mlx-community/Qwen3-8B-4bit", "mlx", undefined],
    ["s3://models/chat/llama-fp8/", "fp8", "fp8"],
  ])("%s is %s", (name, kind, quantization) => {
    expect(statedKind(name)).toMatchObject({ kind });
    expect(statedKind(name)?.quantization).toBe(quantization);
  });

  it.each(["Qwen/Qwen2.5-7B-Instruct", "org/fp80-awquarium", "meta-llama/Llama-4-Scout-17B-16E-Instruct"])(
    "%s states none",
    (name) => {
      expect(statedKind(name)).toBeUndefined();
    },
  );
});

describe("the file type in an Ollama tag", () => {
  it.each([
    ["llama3.1:8b-instruct-fp16", "F16"],
    ["llama3.1:8b-instruct-q8_0", "Q8_0"],
    ["llama3.1:8b-instruct-q4_K_M", "Q4_K_M"],
    ["hf.co/bartowski/Qwen2.5-7B-Instruct-GGUF:Q6_K", "Q6_K"],
    ["hf.co/bartowski/Qwen2.5-7B-Instruct-GGUF:Qwen2.5-7B-Instruct-IQ3_M.gguf", "IQ3_M"],
    ["hf.co/ggml-org/Qwen2.5-7B-Instruct-Q8_0-GGUF", "Q8_0"],
    ["hf.co/unsloth/Qwen3-8B-GGUF:UD-Q4_K_XL", undefined],
    ["gemma3:12b-it-qat", undefined],
  ])("of %s is %s", (tag, quantization) => {
    expect(statedFileType(tag)).toBeDefined();
    expect(statedFileType(tag)?.quantization).toBe(quantization);
  });

  it.each(["llama3.1:8b", "qwen2.5", "gpt-oss:20b", "qwq:32b"])("%s states none", (tag) => {
    expect(statedFileType(tag)).toBeUndefined();
  });
});

describe("the size in a name", () => {
  it.each([
    ["qwen2.5:0.5b", 0.5, 0.5],
    ["Qwen/Qwen2.5-7B-Instruct-1M", 7, 7],
    ["Qwen/Qwen3-30B-A3B", 30, 30],
    ["mixtral:8x7b-instruct", 7, 56],
    ["bge-m3:567m", 0.567, 0.567],
  ])("of %s is %s to %s billion", (name, leastB, mostB) => {
    expect(statedSizes(name)).toMatchObject([{ leastB, mostB }]);
  });

  it.each(["gemma3n:e4b", "microsoft/phi-4", "acme/vicuna13b"])("%s states none", (name) => {
    expect(statedSizes(name)).toEqual([]);
  });

  it("may differ from the model's by less than a third", () => {
    const qwen7b = readCatalogueModel(findModel("qwen2.5-7b-instruct") ?? expect.fail());
    const fits = (name: string) => statedSizes(name).map((size) => isSizeOf(size, qwen7b));
    expect([fits("q:7b"), fits("q:8b"), fits("q:10b"), fits("q:14b"), fits("q:3b")]).toEqual([
      [true],
      [true],
      [true],
      [false],
      [false],
    ]);
  });
});

describe("every model of the catalogue", () => {
  it.each(modelNames())("%s agrees with the names of its repository and its builds", (name) => {
    const entry = findModel(name) ?? expect.fail();
    const architecture = readCatalogueModel(entry);
    const builds = Object.values(entry.builds ?? {}).flat();
    for (const published of [entry.repository, ...builds.map(({ tag }) => tag)]) {
      const sizes = statedSizes(published);
      expect([published, sizes.length === 0 || sizes.some((size) => isSizeOf(size, architecture))]).toEqual([
        published,
        true,
      ]);
    }
    const stated = statedKind(entry.repository);
    expect(stated === undefined ? [] : kindsOf(architecture)).toEqual(
      stated === undefined ? [] : expect.arrayContaining([stated.kind]),
    );
    for (const { tag, quantization } of builds) {
      expect(statedFileType(tag)?.quantization ?? quantization).toBe(quantization);
    }
  });
});
