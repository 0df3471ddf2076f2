import { describe, expect, it } from "vitest";
import { ollamaEnvironment } from "../../../components/serving/ollama-server";
import { estimateMemory } from "../../../engines/estimate";
import { ollama } from "../../../engines/ollama";
import { ollamaSettings } from "../../../engines/ollama/settings";
import type { ModelRequest } from "../../../planner/request";
import { ollamaPlan } from "../../harness/plans";
import { modelOf } from "../../planner/fixtures";
import { fixtureArchitecture } from "../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const { sharedServer } = ollama;
const block = { kvCacheDtype: "fp8" } as const;
const problems = (name: string, changes: Partial<ModelRequest> = {}, asked: object = block) =>
  ollamaSettings.outcome(asked, modelOf(name, { engine: "ollama", ...changes })).problems.map(({ message }) => message);

describe("an 8-bit KV cache of Ollama", () => {
  it("is told as llama.cpp's q8_0, beside flash attention", () => {
    expect(ollamaSettings.requested(block).kvCacheDtype).toBe("fp8");
    const told = (kvCacheDtype: "auto" | "fp8") =>
      ollamaEnvironment(ollamaPlan({ kvCacheDtype }))
        .filter(({ name }) => /KV_CACHE|FLASH/.test(String(name)))
        .map(({ value }) => value);
    expect([told("auto"), told("fp8")]).toEqual([
      ["1", "f16"],
      ["1", "q8_0"],
    ]);
  });

  it.each(["gpu", "cpu"] as const)("takes 8.5 of 16 bits of the memory on a %s", (device) => {
    const cache = (kvCacheDtype: "auto" | "fp8") =>
      estimateMemory({
        ...memoryRequest(fixtureArchitecture("Qwen--Qwen3-8B")),
        engine: { name: "ollama", version: "0.32.15" },
        quantization: "Q4_K_M",
        device,
        kvCacheDtype,
      }).perGpu.kvCacheGiB;
    expect(cache("fp8") / cache("auto")).toBeCloseTo(8.5 / 16, 9);
  });

  it("is refused where Ollama uses no flash attention, and where a head is no multiple of a block", () => {
    expect(problems("qwen3-8b")).toEqual([]);
    expect(problems("gemma-2-9b-it")[0]).toContain(
      "flash attention, which Ollama does not use for models of the family gemma2",
    );
    expect(problems("deepseek-v3")[0]).toContain("flash attention");
    expect(problems("bge-m3", { task: "embedding" })[0]).toContain("no KV cache");
    const { architecture } = modelOf("qwen3-8b");
    const narrow = architecture.layerSpecs.map((layer) => ({ ...layer, mixer: { ...layer.mixer, headDim: 80 } }));
    const odd = { ...architecture, layerSpecs: narrow as typeof architecture.layerSpecs };
    expect(problems("qwen3-8b", { architecture: odd })[0]).toContain("does not divide the width of its heads, 80");
    expect(problems("gemma-2-9b-it", {}, {})).toEqual([]);
  });

  it("is one for all models of a server", () => {
    const [a, b] = (["qwen3-8b", "llama-3.2-3b-instruct"] as const).map((name) =>
      modelOf(name, { engine: "ollama", source: { kind: "ollama", tag: name } }),
    );
    const clashes = (models: readonly (ModelRequest | undefined)[]) =>
      sharedServer?.problems(models.flatMap((model) => model ?? []));
    expect(clashes([a, b])).toEqual([]);
    expect(clashes([a, b && { ...b, kvCacheDtype: "fp8" }])?.[0]).toContain("KV caches in f16 and q8_0");
  });
});
