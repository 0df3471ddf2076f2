import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parallelismProblems } from "../../../../engines/vllm/divisibility";
import { estimateVllm } from "../../../../engines/vllm/memory/estimate";
import { kvLayout, pagesPerRequest } from "../../../../engines/vllm/memory/kv-groups";
import { packedLayout } from "../../../../engines/vllm/memory/kv-packed-groups";
import { compressedCaches } from "../../../../planner/memory/compressed-cache";
import { kvCacheBytesPerToken, layerCaches } from "../../../../planner/memory/kv-cache";
import type { CompressedAttention, ModelArchitecture } from "../../../../planner/model/architecture";
import { countParameters, weightBytes } from "../../../../planner/model/parameters";
import { tensorInventory } from "../../../../planner/model/tensors";
import { atNight } from "../../../harness/property-runs";
import { read, tensor } from "./reading";

const rules = { groupSizeTolerance: 1.5, hybridStatePages: 2 };

/** The rates of `layers` layers: some given ones, then 4 and 128 in turn. */
function rates(layers: number, first: readonly number[], next: 4 | 128): readonly number[] {
  const other = next === 4 ? 128 : 4;
  return Array.from(
    { length: layers },
    (_, layer) => first[layer] ?? ((layer - first.length) % 2 === 0 ? next : other),
  );
}

function withRates(ratios: readonly number[]): ModelArchitecture {
  return read("deepseek_v4", {
    num_hidden_layers: ratios.length,
    compress_ratios: ratios,
    layer_types: undefined,
    mlp_layer_types: undefined,
    num_hash_layers: 3,
  });
}

function layoutOf(ratios: readonly number[]) {
  const layout = kvLayout(layerCaches(withRates(ratios), "auto", 1), rules);
  if (layout === undefined) {
    throw new Error("nothing is cached");
  }
  return layout;
}

describe("the cache of compressed attention", () => {
  const attention: CompressedAttention = {
    kind: "compressed",
    heads: 64,
    headDim: 512,
    ropeHeadDim: 64,
    queryLoraRank: 1024,
    outputGroups: 8,
    outputLoraRank: 1024,
    windowTokens: 128,
  };
  const window = { scope: { kind: "sliding", windowTokens: 128 }, blockTokens: 64, pageBytes: 37_440 };

  it("has the pages of vLLM's own specs: 584 bytes a vector, 132 an indexer key, float32 states, multiples of 576", () => {
    expect(compressedCaches(attention)).toEqual([window]);
    expect(compressedCaches({ ...attention, compression: { rate: 128, overlaps: false } })).toEqual([
      { scope: { kind: "full" }, blockTokens: 256, pageBytes: 1728 },
      { scope: { kind: "sliding", windowTokens: 128 }, blockTokens: 8, pageBytes: 32_832 },
      window,
    ]);
    const indexer = { heads: 64, headDim: 128 };
    expect(compressedCaches({ ...attention, compression: { rate: 4, overlaps: true }, indexer })).toEqual([
      { scope: { kind: "full" }, blockTokens: 256, pageBytes: 37_440 },
      { scope: { kind: "sliding", windowTokens: 8 }, blockTokens: 4, pageBytes: 32_832 },
      window,
      { scope: { kind: "full" }, blockTokens: 256, pageBytes: 8640 },
      { scope: { kind: "sliding", windowTokens: 8 }, blockTokens: 4, pageBytes: 8640 },
    ]);
  });

  // what _get_packed_kv_cache_groups of vLLM 0.33.0 answers when it is run on these layers: bytes of a block, groups
  it.each([
    { name: "transformers' default", ratios: rates(43, [128, 128], 128), bytes: 961_344, groups: 5 },
    { name: "two layers without compression", ratios: rates(43, [0, 0], 4), bytes: 1_002_240, groups: 5 },
    { name: "61 layers", ratios: rates(61, [128, 128], 4), bytes: 1_435_968, groups: 5 },
    { name: "as many of both", ratios: rates(16, [], 4), bytes: 382_464, groups: 5 },
    {
      name: "few indexers",
      ratios: [...Array<number>(6).fill(0), 4, 4, 4, ...Array<number>(10).fill(128)],
      bytes: 187_200,
      groups: 8,
    },
    { name: "no indexer", ratios: [0, 0, ...Array<number>(20).fill(128)], bytes: 37_440, groups: 43 },
  ])("is packed as vLLM packs it: $name", ({ ratios, bytes, groups }) => {
    const layout = layoutOf(ratios);
    expect(layout.pageBytes).toBe(bytes);
    expect(layout.groups).toHaveLength(groups);
  });

  it("takes pages for compressed tokens, and for the windows and states of what is in flight", () => {
    const layout = layoutOf(rates(43, [128, 128], 128));
    expect(pagesPerRequest(layout, 131_072, 16_384)).toBe(512 + (2064 + 1) + 2 * (258 + 1) + (4098 + 1));
  });

  it("is said to be read, not measured, and to be in fp8 whatever is asked for", () => {
    const estimate = (kvCacheDtype: "auto" | "bfloat16") =>
      estimateVllm({
        architecture: read("deepseek_v4"),
        engine: { version: "0.33.0" },
        gpuMemoryGiB: 139.8,
        tensorParallel: 8,
        pipelineParallel: 1,
        contextTokens: 131_072,
        concurrency: 8,
        kvCacheDtype,
      });
    expect(estimate("auto").notes.join()).toContain("as vLLM 0.33.0 packs it");
    expect(estimate("auto").kvTokens).toBeGreaterThan(0);
    expect(estimate("bfloat16").perGpu.kvCacheGiB).toBe(estimate("auto").perGpu.kvCacheGiB);
  });

  it("is whole on every GPU", () => {
    const v4 = read("deepseek_v4");
    expect(layerCaches(v4, "auto", 8)).toEqual(layerCaches(v4, "auto", 1));
    expect(kvCacheBytesPerToken(v4)).toBe((20 * (37_440 + 8640) + 23 * 1728) / 256);
  });

  it("holds every cache, in blocks with room for a page of each that grows", () => {
    const layers = fc.array(fc.constantFrom(0, 4, 128), { minLength: 1, maxLength: 40 });
    const caches = (ratios: readonly number[]) =>
      ratios.flatMap((rate) => {
        if (rate === 0) {
          return compressedCaches(attention);
        }
        const compression = { rate, overlaps: rate === 4 };
        const indexer = rate === 4 ? { heads: 64, headDim: 128 } : undefined;
        return compressedCaches({ ...attention, compression, indexer });
      });
    fc.assert(
      fc.property(layers, (ratios) => {
        const layout = packedLayout(caches(ratios));
        if (layout === undefined) {
          throw new Error("nothing is cached");
        }
        const held = layout.groups.reduce((total, group) => total + group.layers, 0);
        expect(held).toBeGreaterThanOrEqual(caches(ratios).length);
        const growing = caches(ratios).filter(({ scope }) => scope.kind === "full");
        expect(layout.pageBytes).toBeGreaterThanOrEqual(growing.reduce((total, { pageBytes }) => total + pageBytes, 0));
      }),
      { numRuns: atNight(100) },
    );
  });
});

describe("DeepSeek-V4", () => {
  const v4 = read("deepseek_v4");

  it("reads the published spelling of the rates as transformers does", () => {
    const published = read("deepseek_v4", {
      layer_types: undefined,
      compress_rates: undefined,
      compress_ratios: [...rates(43, [128, 128], 128), 0],
    });
    expect(published.layerSpecs).toEqual(v4.layerSpecs);
    expect(read("deepseek_v4", { layer_types: undefined }).layerSpecs).toEqual(v4.layerSpecs);
  });

  it("refuses rates that vLLM has no kernel for, and lists that are too short", () => {
    expect(() => read("deepseek_v4", { compress_ratios: Array<number>(43).fill(16) })).toThrow(
      "must be one of 0, 4, 128",
    );
    expect(() => read("deepseek_v4", { compress_ratios: [4] })).toThrow("has 1 entries for 43 layers");
    expect(() => read("deepseek_v4", { compress_rates: { compressed_sparse_attention: 8 } })).toThrow("compress_rates");
  });

  it("has a rotary table in float32 for each of the two kinds of layer that it has", () => {
    const table = { positions: 1_048_576, rotaryDim: 64, dtype: "float32" };
    expect(v4.rotaryTables).toEqual([table]);
    expect(withRates(rates(43, [0, 0], 4)).rotaryTables).toEqual([table, table]);
    expect(withRates([0, 0]).rotaryTables).toEqual([table]);
  });

  it("brings a prediction layer with the window alone, which plain serving does not load", () => {
    const prediction = tensorInventory(v4).filter(({ part }) => part === "multi-token-prediction");
    expect(prediction.filter(({ kind }) => kind === "expert")).toHaveLength(3);
    expect(prediction.some(({ module }) => module.includes("compressor"))).toBe(false);
    expect(tensorInventory(read("deepseek_v4", { num_nextn_predict_layers: 0 }))).toHaveLength(
      tensorInventory(v4).length - prediction.length,
    );
  });

  it("refuses groups that do not divide the heads", () => {
    expect(() => read("deepseek_v4", { o_groups: 6 })).toThrow("must divide the 64 attention heads");
  });

  it("replicates low ranks, compressors and the indexer, and cuts the heads and the groups of the output", () => {
    const split = (name: string) => tensor(v4, `model.layers.3.self_attn.${name}`).split.along;
    expect(["q_a_proj", "kv_proj", "compressor.kv_proj", "compressor.indexer.q_b_proj"].map(split)).toEqual(
      Array(4).fill("none"),
    );
    expect(["q_b_proj", "o_a_proj", "sinks"].map(split)).toEqual(Array(3).fill("rows"));
    expect(split("o_b_proj")).toBe("columns");
    expect(parallelismProblems(v4, 8, 1)).toEqual([]);
    expect(parallelismProblems(v4, 16, 1).join()).toMatch(/TP 16 [^,]* 8 groups of the output/);
  });

  it("has MXFP4 experts among FP8 matrices where expert_dtype says so", () => {
    const quantization_config = { quant_method: "fp8", weight_block_size: [128, 128], activation_scheme: "dynamic" };
    const fp8 = read("deepseek_v4", { quantization_config });
    const fp4 = read("deepseek_v4", { quantization_config, expert_dtype: "fp4" });
    expect(fp4.quantization.name).toBe("mxfp4 + fp8-block-128x128");
    const experts = 43 * 256 * 3 * 2048 * 4096;
    expect(countParameters(fp4).total).toBe(countParameters(fp8).total);
    expect(weightBytes(fp4).expertBytes).toBe(
      weightBytes(fp8).expertBytes - (experts + (experts / 128 ** 2) * 4) + experts * (0.5 + 1 / 32),
    );
    expect(() => read("deepseek_v4", { quantization_config, expert_dtype: "int4" })).toThrow('expected "fp4" or "fp8"');
  });
});
