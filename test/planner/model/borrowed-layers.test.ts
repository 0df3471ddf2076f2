/** Layers that run with weights, keys or values of others: what is held once, and what is cached for each. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parallelismProblems } from "../../../engines/vllm/divisibility";
import { estimateVllm } from "../../../engines/vllm/memory/estimate";
import { kvCacheBytesPerToken, layerCaches, stateElementsPerSequence } from "../../../planner/memory/kv-cache";
import { countParameters } from "../../../planner/model/parameters";
import { tensorInventory } from "../../../planner/model/tensors";
import { memoryRequest } from "../../engines/vllm/requests";
import { defaultArchitecture } from "./families/compare";

describe("HRM-Text", () => {
  it("caches every pass, on weights of two stacks", () => {
    const model = defaultArchitecture("hrm_text");
    expect(kvCacheBytesPerToken(model)).toBe(128 * 2 * 12 * 128 * 2);
    expect(tensorInventory(model).filter(({ module }) => module.endsWith(".q_proj"))).toHaveLength(2 * 16);
  });

  it("takes num_hidden_layers for a stack where the config does not count passes", () => {
    const older = defaultArchitecture("hrm_text", { num_layers_per_stack: undefined, num_hidden_layers: 16 });
    expect(older.layers).toBe(128);
    expect(countParameters(older).total).toBe(countParameters(defaultArchitecture("hrm_text")).total);
  });

  it("has one weight for any number of cycles, and a cache for each", () => {
    const base = countParameters(defaultArchitecture("hrm_text")).total;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }), (H_cycles, L_cycles) => {
        const model = defaultArchitecture("hrm_text", { H_cycles, L_cycles });
        expect(countParameters(model).total).toBe(base);
        expect(kvCacheBytesPerToken(model)).toBe(H_cycles * (L_cycles + 1) * 16 * 2 * 12 * 128 * 2);
      }),
      { numRuns: 20 },
    );
  });

  it("refuses cycles beyond what can be planned, at once", () => {
    expect(() => defaultArchitecture("hrm_text", { H_cycles: 4096, L_cycles: 4096 })).toThrow("H_cycles");
  });
});

describe("Zamba 2", () => {
  const model = defaultArchitecture("zamba2");

  it("has a state in each of 54 layers and a cache in nine, which share one block", () => {
    expect(kvCacheBytesPerToken(model)).toBe(9 * 2 * 32 * 160 * 2);
    expect(stateElementsPerSequence(model)).toEqual({
      convolution: 54 * (5120 + 2 * 64) * 3,
      recurrent: 54 * 5120 * 64,
    });
    expect(tensorInventory(model).filter(({ module }) => module.endsWith("self_attn.q_proj"))).toHaveLength(1);
  });

  it("holds a block for each of several that take turns", () => {
    const two = defaultArchitecture("zamba2", { num_mem_blocks: 2 });
    const block = 3 * 5120 * 5120 + 2560 * 5120 + 3 * 2560 * 10240 + 5120 + 2560;
    expect(countParameters(two).total - countParameters(model).total).toBe(block);
    expect(kvCacheBytesPerToken(two)).toBe(kvCacheBytesPerToken(model));
  });

  it("has adapters of the attention where the config asks for them, and a rotary table where it has positions", () => {
    const adapted = defaultArchitecture("zamba2", { use_shared_attention_adapter: true });
    expect(countParameters(adapted).total - countParameters(model).total).toBe(9 * 3 * 2 * 5120 * 128);
    expect(model.rotaryTables).toEqual([]);
    expect(defaultArchitecture("zamba2", { use_mem_rope: true }).rotaryTables).toEqual([
      { positions: 4096, rotaryDim: 160 },
    ]);
  });

  it("names a missing or short list of blocks", () => {
    expect(() => defaultArchitecture("zamba2", { layers_block_type: null })).toThrow("layers_block_type");
    expect(() => defaultArchitecture("zamba2", { layers_block_type: ["hybrid"] })).toThrow("1 entries for 54 layers");
  });
});

describe("Gemma 3n", () => {
  const model = defaultArchitecture("gemma3n_text");

  it("caches the first 20 of 35 layers, four of them in full", () => {
    const caches = layerCaches(model, "auto", 1);
    expect(caches.map(({ bytesPerToken }) => bytesPerToken)).toEqual([
      ...Array.from({ length: 20 }, () => 2 * 2 * 256 * 2),
      ...Array.from({ length: 15 }, () => 0),
    ]);
    expect(caches.slice(0, 20).filter(({ scope }) => scope.kind === "full")).toHaveLength(4);
  });

  it("has keys and values of its own in those layers alone", () => {
    const named = (part: string): number => tensorInventory(model).filter(({ module }) => module.endsWith(part)).length;
    expect([named("q_proj"), named("k_proj"), named("v_proj")]).toEqual([35, 20, 20]);
  });

  it("takes one width for all layers, or one for each", () => {
    const listed = Array.from({ length: 35 }, (_, layer) => (layer < 10 ? 8192 : 16384));
    const total = (intermediate_size: unknown): number =>
      countParameters(defaultArchitecture("gemma3n_text", { intermediate_size })).total;
    expect(total(16384)).toBe(countParameters(model).total);
    expect(total(16384) - total(listed)).toBe(10 * 3 * 2048 * 8192);
  });

  it.each([
    ["too few widths", { intermediate_size: [1] }, "1 entries for 35 layers"],
    ["a hostile width", { intermediate_size: Array.from({ length: 35 }, () => 1e308) }, "intermediate_size"],
    ["more layers that reuse than there are", { num_kv_shared_layers: 35 }, "num_kv_shared_layers"],
    ["hostile streams", { altup_num_inputs: 1e9 }, "altup_num_inputs"],
  ])("names %s", (_, changes, message) => {
    expect(() => defaultArchitecture("gemma3n_text", changes)).toThrow(message);
  });
});

describe("Gemma 4 as transformers 5.19 writes it", () => {
  it("takes heads of single layers from per_layer_config", () => {
    const model = defaultArchitecture("gemma4_unified_text", {
      per_layer_config: { "05": { head_dim: 128, num_key_value_heads: 2 } },
    });
    const heads = model.layerSpecs.map(({ mixer }) => mixer.kind === "attention" && [mixer.kvHeads, mixer.headDim]);
    expect(heads.slice(4, 7)).toEqual([
      [4, 256],
      [2, 128],
      [4, 256],
    ]);
  });

  it("ignores keys that are no layer numbers", () => {
    const changes = { per_layer_config: { __proto__x: { head_dim: 1 }, "99999999999": { head_dim: 1 } } };
    expect(kvCacheBytesPerToken(defaultArchitecture("gemma4_unified_text", changes))).toBe(
      kvCacheBytesPerToken(defaultArchitecture("gemma4_unified_text")),
    );
  });
});

describe("MiniCPM3", () => {
  const model = defaultArchitecture("minicpm3");

  it("caches the keys and values of every head, each as wide as a query, split by tensor parallelism", () => {
    expect(kvCacheBytesPerToken(model)).toBe(62 * 40 * 2 * 96 * 2);
    expect(layerCaches(model, "auto", 4)[0]?.bytesPerToken).toBe(10 * 2 * 96 * 2);
    expect(model).toMatchObject({ kvHeads: 40, headDim: 96 });
  });

  it("needs no workspace for absorbed projections, and no second copy of quantized ones", () => {
    const latent = defaultArchitecture("deepseek_v3");
    const absorbed = (architecture: typeof model): number =>
      tensorInventory(architecture).filter(({ absorbed, part }) => absorbed && part === "text").length;
    expect([absorbed(model), absorbed(latent)]).toEqual([0, latent.layers]);
    const [stage] = estimateVllm(memoryRequest(model)).stages;
    expect(stage?.weightsGiB).toBeCloseTo((countParameters(model).total * 2) / 2 ** 30, 1);
  });
});

describe("families that vLLM runs in one pipeline stage", () => {
  it.each(["hrm_text", "zamba2", "gemma3n_text", "mamba2"])("%s refuses two", (family) => {
    const model = defaultArchitecture(family);
    expect(parallelismProblems(model, 1, 1)).toEqual([]);
    expect(parallelismProblems(model, 1, 2)).toEqual([`PP 2: vLLM runs ${family} in one pipeline stage only`]);
  });
});
