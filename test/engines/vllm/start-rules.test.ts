import { describe, expect, it } from "vitest";
import { contextLimit, estimateMemory, lackOfMemory, startProblems } from "../../../engines/estimate";
import type { MemoryRequest } from "../../../engines/memory-request";
import { readModelConfig } from "../../../planner/model/config-json";
import { fixtureArchitecture, fixtureConfig } from "../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");
const problems = (changes: Partial<MemoryRequest> = {}, architecture = llama) =>
  startProblems(memoryRequest(architecture, changes));
const vllm = (version: string) => ({ name: "vllm" as const, version });

describe("what vLLM refuses to start", () => {
  it("is nothing where there is nothing wrong", () => {
    expect(problems()).toEqual([]);
    expect(problems({ contextTokens: 131_072 })).toEqual([]);
    expect(problems({ engine: { name: "ollama", version: "0.32.15" }, kvCacheDtype: "auto" })).toEqual([]);
  });

  it("is a context above the model's limit, by one token, with either engine", () => {
    const [problem, ...others] = problems({ contextTokens: 131_073 });
    expect(problem).toBe("a context of 131,073 tokens is above the model's limit of 131,072");
    expect(others).toEqual([]);
    expect(problems({ contextTokens: 131_073, engine: { name: "ollama", version: "0.32.15" } })).toEqual([problem]);
  });

  it("is a version before the V1 engine", () => {
    expect(problems({ engine: vllm("0.7.3") })).toEqual([
      "vLLM 0.7.3 runs the engine before V1, of which no memory is known here: take 0.8.0 or newer",
    ]);
    expect(problems({ engine: vllm("0.8.0") })).toEqual([]);
    expect(problems({ engine: vllm("0.40.0") })).toEqual([]);
  });

  it("is a pass that holds less than the context, without chunked prefill", () => {
    const whole = { "enable-chunked-prefill": false, "max-num-batched-tokens": 8191 };
    expect(problems({ args: whole }).join()).toContain("max-num-batched-tokens 8,191 is below the context of 8,192");
    expect(problems({ args: { ...whole, "max-num-batched-tokens": 8192 } })).toEqual([]);
    expect(problems({ args: { "max-num-batched-tokens": 8191 } })).toEqual([]);
    // Unset, it grows with the context.
    expect(problems({ args: { "enable-chunked-prefill": false }, contextTokens: 32_768 })).toEqual([]);
    const encoder = fixtureArchitecture("BAAI--bge-m3");
    expect(problems({ args: { "max-num-batched-tokens": 2048 } }, encoder).join()).toContain("without chunked prefill");
    expect(problems({}, encoder)).toEqual([]);
  });

  it("is a pass with fewer tokens than sequences, where both are named", () => {
    expect(problems({ args: { "max-num-batched-tokens": 128, "max-num-seqs": 129 } }).join()).toContain(
      "max-num-batched-tokens 128 is below max-num-seqs 129",
    );
    expect(problems({ args: { "max-num-batched-tokens": 128, "max-num-seqs": 128 } })).toEqual([]);
    // Unset, the number of sequences follows.
    expect(problems({ args: { "max-num-batched-tokens": 128 } })).toEqual([]);
  });

  it("is all of that at once", () => {
    const changes = {
      contextTokens: 200_000,
      engine: vllm("0.7.0"),
      args: { "max-num-batched-tokens": 8, "max-num-seqs": 9 },
    };
    expect(problems(changes)).toHaveLength(3);
  });
});

describe("a limit of sequences above the recurrent states in memory", () => {
  const nemotron = fixtureArchitecture("nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16");
  const verdictOn = (changes: Partial<MemoryRequest>, architecture = nemotron) =>
    estimateMemory(memoryRequest(architecture, changes)).verdict;

  it("keeps vLLM from starting, by its default on large cards too", () => {
    // Pages of six layers: 9.68 GiB hold 806 of them by the estimate.
    expect(verdictOn({})).toMatchObject({ answer: "edge", decides: "recurrent states" });
    expect(verdictOn({ gpuMemoryGiB: 75 })).toMatchObject({ answer: "no", decides: "recurrent states" });
    expect(verdictOn({ engine: { name: "ray", version: "2.56.0" } }).decides).toBe("recurrent states");
    expect(verdictOn({ maxNumSeqs: 512 }).answer).toBe("fits");
  });

  it("is no matter without graphs, without states, on CPUs, and before the release that looks", () => {
    expect(verdictOn({ args: { "enforce-eager": true } }).answer).toBe("fits");
    expect(verdictOn({}, llama).answer).toBe("fits");
    expect(verdictOn({ device: "cpu", gpuMemoryGiB: 512 }).answer).toBe("fits");
    expect(verdictOn({ engine: { name: "vllm", version: "0.19.1" } }).answer).toBe("fits");
  });
});

describe("a load that lacks memory", () => {
  const lack = (changes: Partial<MemoryRequest>) => {
    const request = memoryRequest(llama, changes);
    return lackOfMemory(request, estimateMemory(request));
  };

  it("keeps vLLM from starting where not one request fits", () => {
    expect(lack({ gpuMemoryGiB: 15 })).toBe("vLLM does not start: no memory is left for the KV cache");
    expect(lack({ gpuMemoryGiB: 24, contextTokens: 131_072 })).toMatch(
      /^vLLM does not start: \d+\.\d\d GiB hold no request of 131,072 tokens$/,
    );
  });

  it("makes the rest wait where some do", () => {
    expect(lack({ concurrency: 1000 })).toMatch(/^vLLM starts all the same: \d+\.\d of the 1,000 requests are held/);
    expect(lack({ concurrency: 4 })).toBeUndefined();
    expect(lack({ gpuMemoryGiB: 8, engine: { name: "ollama", version: "0.32.15" } })).toBeUndefined();
  });
});

describe("the longest context", () => {
  const yarn = readModelConfig({
    ...fixtureConfig("Qwen--Qwen3-8B"),
    rope_scaling: { rope_type: "yarn", factor: 4, original_max_position_embeddings: 32_768 },
  });

  it("is what config.json states from 0.30.0 on, and yarn's factor times its own positions before", () => {
    expect(contextLimit(yarn, vllm("0.30.0"))).toBe(40_960);
    expect(contextLimit(yarn, vllm("0.29.0"))).toBe(131_072);
    expect(contextLimit(fixtureArchitecture("Qwen--Qwen3-8B"), vllm("0.29.0"))).toBe(40_960);
  });

  it("is the same before and after where the config has both right", () => {
    const deepseek = fixtureArchitecture("deepseek-ai--DeepSeek-V3");
    for (const version of ["0.19.0", "0.33.0"]) {
      expect(contextLimit(deepseek, vllm(version))).toBe(163_840);
    }
  });

  it("grows with the factor of every other scaling", () => {
    const linear = { ...fixtureConfig("Qwen--Qwen3-8B"), rope_scaling: { rope_type: "linear", factor: 2 } };
    expect(contextLimit(readModelConfig(linear), vllm("0.33.0"))).toBe(81_920);
  });
});
