import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cardTraits } from "../../../../engines/vllm/memory/cards";
import { capturedGraphs, captureSizes } from "../../../../engines/vllm/memory/cuda-graphs";
import { estimateVllm } from "../../../../engines/vllm/memory/estimate";
import { vllmConstants } from "../../../../engines/vllm/memory/versions";
import type { ModelArchitecture } from "../../../../planner/model/architecture";
import { fixtureArchitecture } from "../../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");
const deepseek = fixtureArchitecture("deepseek-ai--DeepSeek-V3");
const usual = { largest: 512, decoding: true, followsSequences: true, step: 16 };
const limits = (maxNumSeqs: number, maxNumBatchedTokens = 8192) => ({ maxNumSeqs, maxNumBatchedTokens });

/** Graphs on one card by one version, as the difference that --enforce-eager makes to what is taken from the pool. */
function graphsGiB(architecture: ModelArchitecture, version: string, gpuModel = "NVIDIA H100 80GB HBM3"): number {
  const overhead = (enforceEager: boolean): number =>
    estimateVllm(memoryRequest(architecture, { gpuModel, engine: { version }, vllm: { enforceEager } })).perGpu
      .overheadGiB;
  return overhead(false) - overhead(true);
}

describe("captured CUDA graphs", () => {
  it("are mixed batches up to twice max-num-seqs, and pure decoding up to max-num-seqs", () => {
    expect(capturedGraphs(limits(1024), usual)).toBe(51 + 51);
    expect(capturedGraphs(limits(256), usual)).toBe(51 + 35);
    expect(capturedGraphs(limits(8), usual)).toBe(5 + 4);
    expect(capturedGraphs(limits(1), usual)).toBe(2 + 1);
    expect(capturedGraphs(limits(1024), { ...usual, largest: 1024 })).toBe(83 + 83);
  });

  it("were in older releases up to 512 whatever max-num-seqs is, every 8, and of mixed batches alone", () => {
    const sizesIn = (version: string) => {
      const { constants } = vllmConstants(version);
      return captureSizes(constants, llama, cardTraits({ gpuModel: "NVIDIA A10", gpuMemoryGiB: 22 }));
    };
    expect(capturedGraphs(limits(1), sizesIn("0.9.2"))).toBe(67);
    expect(capturedGraphs(limits(256), sizesIn("0.10.2"))).toBe(67);
    expect(capturedGraphs(limits(1), sizesIn("0.10.2"))).toBe(2);
    expect(capturedGraphs(limits(256), sizesIn("0.11.0"))).toBe(67 + 35);
  });

  it("are no larger than a batch may be, and leave decoding out where the back end cannot", () => {
    expect(capturedGraphs(limits(256, 64), usual)).toBe(11 + 11);
    expect(capturedGraphs(limits(1024), { ...usual, decoding: false })).toBe(51);
  });

  it("never become fewer with more sequences or larger batches", () => {
    const size = fc.integer({ min: 1, max: 2048 });
    fc.assert(
      fc.property(size, size, size, (sequences, tokens, more) => {
        const some = capturedGraphs(limits(sequences, tokens), usual);
        expect(capturedGraphs(limits(sequences + more, tokens), usual)).toBeGreaterThanOrEqual(some);
        expect(capturedGraphs(limits(sequences, tokens + more), usual)).toBeGreaterThanOrEqual(some);
      }),
    );
  });

  it.each([
    [
      "gpt-oss asks for 1,024",
      fixtureArchitecture("openai--gpt-oss-20b"),
      "NVIDIA H100 80GB HBM3",
      "0.19.1",
      1024,
      true,
    ],
    ["a B200 has 512 before 0.28.0", llama, "NVIDIA B200", "0.27.1", 512, true],
    ["and 1,024 from there", llama, "NVIDIA B200", "0.28.0", 1024, true],
    ["an RTX 5090 stays at 512", llama, "NVIDIA GeForce RTX 5090", "0.33.0", 512, true],
    ["latent attention on Triton has no graphs of decoding", deepseek, "NVIDIA A100-SXM4-80GB", "0.21.0", 512, false],
    ["until 0.22.0", deepseek, "NVIDIA A100-SXM4-80GB", "0.22.0", 512, true],
    ["and on Hopper it is not on Triton", deepseek, "NVIDIA H200", "0.20.0", 512, true],
  ] as const)("%s", (_rule, architecture, gpuModel, version, largest, decoding) => {
    const card = cardTraits({ gpuModel, gpuMemoryGiB: 80 });
    expect(captureSizes(vllmConstants(version).constants, architecture, card)).toMatchObject({ largest, decoding });
  });
});

describe("CUDA graphs in the pool", () => {
  const qwen = fixtureArchitecture("Qwen--Qwen3-8B");

  it("count from 0.20.0 with the first model runner, from 0.29.0 with the second", () => {
    const counted = ["0.19.1", "0.20.0", "0.21.0", "0.22.0", "0.28.0", "0.29.0", "0.33.0"].map(
      (version) => graphsGiB(qwen, version) > 0,
    );
    expect(counted).toEqual([false, true, true, false, false, true, true]);
    expect(graphsGiB(fixtureArchitecture("Qwen--Qwen3-30B-A3B"), "0.28.0")).toBeGreaterThan(1);
  });

  it("count on AMD from 0.26.0, with the first model runner", () => {
    const mixtral = fixtureArchitecture("mistralai--Mixtral-8x7B-v0.1");
    const onAmd = (version: string) => graphsGiB(mixtral, version, "AMD Instinct MI300X");
    expect(onAmd("0.25.0")).toBe(0);
    expect(onAmd("0.26.0")).toBeGreaterThan(0.5);
  });

  it("are what 0.19.0 estimated on H100, within 0.3 GiB", () => {
    // "Estimated CUDA graph memory" at 1,024 sequences, GiB: see perGraph for the source and the spread
    for (const [name, gib] of [
      ["meta-llama--Llama-3.1-8B", 0.84],
      ["Qwen--Qwen3-30B-A3B", 1.24],
      ["microsoft--phi-4", 0.81],
      ["openai--gpt-oss-20b", 1.3],
    ] as const) {
      expect(Math.abs(graphsGiB(fixtureArchitecture(name), "0.20.0") - gib)).toBeLessThan(0.3);
    }
  });

  it("take twice as much per layer with latent attention", () => {
    const [dense, latent] = [fixtureArchitecture("meta-llama--Llama-3.1-70B"), deepseek].map((model) => {
      const perLayer = (graphsGiB(model, "0.20.0") - 0.00334 * 102) / model.layers;
      return perLayer / 102;
    });
    expect((latent ?? 0) / (dense ?? 1)).toBeCloseTo(2, 6);
  });
});
