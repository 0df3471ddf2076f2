import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readModelConfig } from "../../../planner/model/config-json";
import { formatFor, formatNames, UnknownFormatError } from "../../../planner/model/format-names";
import { countParameters, weightBytes } from "../../../planner/model/parameters";
import {
  checkpointMatrixBytes,
  schemeBytes,
  schemeFor,
  schemes,
  type WeightMatrix,
} from "../../../planner/model/quantization";
import { fixtureArchitecture, fixtureConfig } from "./fixtures";

const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");
const llamaConfig = fixtureConfig("meta-llama--Llama-3.1-8B");

/** Bits per weight of a large matrix. */
function bits(scheme: Parameters<typeof schemeBytes>[0]): number {
  return (schemeBytes(scheme, 4096, 4096) * 8) / (4096 * 4096);
}

describe("bits per weight, scales included", () => {
  it.each([
    ["mxfp4", schemes.mxfp4(), 4.25],
    ["nvfp4", schemes.nvfp4(), 4.5],
    ["awq", schemes.awq(4, 128), 4.15625],
    ["int4 group 32, symmetric", schemes.packedGroup(4, 32, true), 4.5],
    ["int4 group 128, symmetric", schemes.packedGroup(4, 128, true), 4.125],
    ["fp8 block", schemes.fp8Block(128, 128), 8 + 32 / 128 ** 2],
    ["fp8 tensor", schemes.fp8Tensor(), 8],
    ["fp8 row", schemes.eightBitRow("fp8"), 8 + 32 / 4096],
  ])("%s", (_name, scheme, expected) => {
    expect(bits(scheme)).toBeCloseTo(expected, 4);
  });

  it("rounds blocks up at the edges", () => {
    expect(schemeBytes(schemes.fp8Block(128, 128), 129, 129)).toBe(129 * 129 + 4 * 4);
  });

  it("never shrinks when a matrix grows", () => {
    const scheme = fc.constantFrom(
      schemes.mxfp4(),
      schemes.awq(4, 128),
      schemes.fp8Block(128, 128),
      schemes.eightBitRow("int8"),
    );
    const side = fc.integer({ min: 1, max: 5000 });
    fc.assert(
      fc.property(scheme, side, side, (one, rows, columns) => {
        expect(schemeBytes(one, rows + 1, columns)).toBeGreaterThan(schemeBytes(one, rows, columns));
        expect(schemeBytes(one, rows, columns + 1)).toBeGreaterThan(schemeBytes(one, rows, columns));
      }),
    );
  });
});

describe("what stays unquantized", () => {
  const matrix = (module: string, kind: WeightMatrix["kind"] = "linear"): WeightMatrix => ({
    module,
    kind,
    rows: 256,
    columns: 256,
  });
  const read = (quantization_config: unknown) => readModelConfig({ ...llamaConfig, quantization_config }).quantization;

  it("embeddings, head, norms and routers in every format", () => {
    const fp8 = read({ quant_method: "fp8" });
    expect(schemeFor(fp8, matrix("lm_head", "table"))).toBeUndefined();
    expect(schemeFor(fp8, matrix("model.layers.0.mlp.gate", "other"))).toBeUndefined();
    expect(schemeFor(fp8, matrix("model.layers.0.mlp.up_proj"))?.name).toBe("fp8-tensor");
  });

  it("modules by name, by glob and by regular expression", () => {
    const listed = read({
      quant_method: "fp8",
      modules_to_not_convert: ["model.layers.1", "o_proj", "model.layers.*.mlp.down_proj"],
    });
    expect(schemeFor(listed, matrix("model.layers.1.mlp.up_proj"))).toBeUndefined();
    expect(schemeFor(listed, matrix("model.layers.11.mlp.up_proj"))).toBeDefined();
    expect(schemeFor(listed, matrix("model.layers.0.self_attn.o_proj"))).toBeUndefined();
    expect(schemeFor(listed, matrix("model.layers.7.mlp.down_proj"))).toBeUndefined();
    const weights = { num_bits: 4, type: "int", strategy: "group", group_size: 32, symmetric: true };
    const pattern = read({
      quant_method: "compressed-tensors",
      config_groups: { group_0: { targets: ["Linear"], weights } },
      ignore: ["re:.*self_attn.*", "re:.*mlp\\.(gate|up|down)_proj.*"],
    });
    expect(schemeFor(pattern, matrix("model.layers.0.self_attn.q_proj"))).toBeUndefined();
    expect(schemeFor(pattern, matrix("model.layers.0.mlp.up_proj"))).toBeUndefined();
    expect(schemeFor(pattern, matrix("model.layers.0.mlp.experts.0.up_proj", "expert"))?.name).toBe("int4-group-32");
  });

  it("everything but the experts under mxfp4", () => {
    const format = read({ quant_method: "mxfp4" });
    expect(schemeFor(format, matrix("model.layers.0.self_attn.q_proj"))).toBeUndefined();
    expect(schemeFor(format, matrix("model.layers.0.mlp.experts.0.up_proj", "expert"))?.name).toBe("mxfp4");
  });
});

describe("reading quantization configs", () => {
  const name = (quantization_config: unknown): string =>
    readModelConfig({ ...llamaConfig, quantization_config }).quantization.name;
  const compressed = (weights: unknown) => ({
    quant_method: "compressed-tensors",
    config_groups: { g: { targets: ["Linear"], weights } },
  });

  it.each([
    [{ quant_method: "fp8", weight_block_size: [128, 128] }, "fp8-block-128x128"],
    [{ quant_method: "fp8", weight_block_size: null }, "fp8-tensor"],
    [{ quant_method: "gptq", bits: 4, group_size: 128 }, "gptq-int4-group-128"],
    [{ quant_method: "gptq", bits: 4, group_size: -1 }, "int4-row"],
    [{ quant_method: "bitsandbytes", load_in_4bit: true }, "bitsandbytes-nf4"],
    [{ quant_method: "bitsandbytes", load_in_4bit: false }, "int8-row"],
    [{ quant_method: "modelopt", quant_algo: "NVFP4" }, "nvfp4"],
    [compressed({ num_bits: 8, type: "float", strategy: "channel" }), "fp8-row"],
    [compressed({ num_bits: 8, type: "float", strategy: "tensor" }), "fp8-tensor"],
    [compressed({ num_bits: 8, type: "float", strategy: "block", block_structure: [128, 128] }), "fp8-block-128x128"],
    [compressed({ num_bits: 8, type: "int", strategy: "channel" }), "int8-row"],
    [compressed({ num_bits: 4, type: "float", strategy: "tensor_group", group_size: 16 }), "nvfp4"],
    [compressed({ num_bits: 4, type: "int", strategy: "group", group_size: 128 }), "int4-group-128"],
  ])("%j is %s", (config, expected) => {
    expect(name(config)).toBe(expected);
  });

  it.each([
    ["fp8", { quant_method: "fp8" }],
    ["fp8_per_block", { quant_method: "fp8", weight_block_size: [128, 128] }],
    ["int8", compressed({ num_bits: 8, type: "int", strategy: "channel" })],
    ["w8a8", compressed({ num_bits: 8, type: "int", strategy: "channel" })],
    ["int4", compressed({ num_bits: 4, type: "int", strategy: "group", group_size: 128 })],
    ["awq", { quant_method: "awq", bits: 4, group_size: 128 }],
    ["gptq", { quant_method: "gptq", bits: 4, group_size: 128 }],
    ["nvfp4", { quant_method: "modelopt", quant_algo: "NVFP4" }],
    ["bitsandbytes", { quant_method: "bitsandbytes", load_in_4bit: true }],
  ])("%s names the scheme of a checkpoint that says %j", (named, quantization_config) => {
    const plain = readModelConfig(llamaConfig);
    const own = readModelConfig({ ...llamaConfig, quantization_config }).quantization;
    expect(formatFor(plain, named).rules.map(({ scheme }) => scheme)).toEqual([own.rules[0]?.scheme]);
  });

  it.each([
    [{ quant_method: "modelopt", quant_algo: "W4A16_NVFP4" }, "nvfp4"],
    [{ quant_method: "modelopt", quant_algo: "W4A8_MXFP4_FP8" }, "mxfp4"],
    [{ quant_method: "modelopt", quant_algo: "W4A8_AWQ" }, "awq-int4-group-128"],
  ])("ModelOpt's %j is %s", (config, expected) => {
    expect(name(config)).toBe(expected);
  });

  it("reads ModelOpt's mixed precision module by module", () => {
    const { quantization } = readModelConfig({
      ...llamaConfig,
      quantization_config: {
        quant_method: "modelopt",
        quant_algo: "MIXED_PRECISION",
        quantized_layers: {
          "model.language_model.layers.0.self_attn.o_proj": { quant_algo: "FP8" },
          "backbone.layers.1.mixer.experts": { quant_algo: "W4A16_NVFP4", group_size: 16 },
          "model.layers.2.mlp.up_proj": { quant_algo: "W4A16_NVFP4", group_size: 16 },
        },
        ignore: ["mtp*"],
      },
    });
    const scheme = (module: string): string | undefined =>
      schemeFor(quantization, { module, kind: "linear", rows: 4096, columns: 4096 })?.name;
    expect(quantization.name).toBe("fp8-tensor + nvfp4");
    expect(scheme("model.layers.0.self_attn.o_proj")).toBe("fp8-tensor");
    expect(scheme("model.layers.1.mlp.experts.0.up_proj")).toBe("nvfp4");
    expect(scheme("model.layers.2.mlp.up_proj")).toBe("nvfp4");
    expect(scheme("model.layers.0.self_attn.q_proj")).toBeUndefined();
    expect(scheme("model.layers.10.self_attn.o_proj")).toBeUndefined();
    expect(scheme("model.layers.2.mlp.down_proj")).toBeUndefined();
  });

  it.each([
    ["quantized_layers", { quant_method: "modelopt", quant_algo: "MIXED_PRECISION" }],
    [
      "quantized_layers.a",
      { quant_method: "modelopt", quant_algo: "MIXED_PRECISION", quantized_layers: { a: { quant_algo: "Q99" } } },
    ],
    ["quantized_layers.a", { quant_method: "modelopt", quant_algo: "MIXED_PRECISION", quantized_layers: { a: 1e308 } }],
  ])("names %s when mixed precision does not say what it is", (path, config) => {
    expect(() => name(config)).toThrow(`quantization_config.${path}`);
  });

  it.each([
    ["model.language_model.layers.3.self_attn*", "model.layers.3.self_attn.q_proj"],
    ["backbone.layers.3.mixer.q_proj", "model.layers.3.self_attn.q_proj"],
    ["backbone.layers.3.mixer.*", "model.layers.3.mlp.experts.0.up_proj"],
    ["model.language_model.layers.3.linear_attn.in_proj_a", "model.layers.3.linear_attn.in_proj_ba"],
    ["model.layers.3.mlp.shared_expert.up_proj", "model.layers.3.mlp.shared_experts.up_proj"],
  ])("leaves out %s as %s, and nothing of the next layer", (ignored, module) => {
    const { quantization } = readModelConfig({
      ...llamaConfig,
      quantization_config: { quant_method: "fp8", ignore: [ignored] },
    });
    const scheme = (module: string): string | undefined =>
      schemeFor(quantization, { module, kind: "linear", rows: 4096, columns: 4096 })?.name;
    expect(scheme(module)).toBeUndefined();
    expect(scheme(module.replace(".3.", ".4."))).toBe("fp8-tensor");
    expect(scheme("model.layers.3.norms")).toBe("fp8-tensor");
  });

  it("does not take an extra layer's name for a layer of the model", () => {
    const { quantization } = readModelConfig({
      ...llamaConfig,
      quantization_config: { quant_method: "fp8", ignore: ["mtp.layers.0.self_attn.q_proj", "mtp*"] },
    });
    const module = { module: "model.layers.0.self_attn.q_proj", kind: "linear", rows: 64, columns: 64 } as const;
    expect(schemeFor(quantization, module)?.name).toBe("fp8-tensor");
  });

  it("prefers quantization_config to torch_dtype", () => {
    expect(fixtureArchitecture("deepseek-ai--DeepSeek-V3").quantization.name).toBe("fp8-block-128x128");
  });

  it("finds the format and the fp8 cache in hf_quant_config.json", () => {
    const { quantization } = fixtureArchitecture("nvidia--Llama-3.1-70B-Instruct-FP8");
    expect(quantization.name).toBe("fp8-tensor");
    expect(quantization.fp8KvCache).toBe("unread");
  });
});

describe("formats by name", () => {
  it("halves and quarters the layers", () => {
    const full = weightBytes(llama).checkpointBytes;
    const tables = 2 * 128256 * 4096 * 2;
    expect(weightBytes(llama, "fp8").checkpointBytes).toBeCloseTo((full - tables) / 2 + tables, -6);
    expect(weightBytes(llama, "float32").checkpointBytes).toBe(full * 2);
  });

  it("keeps the checkpoint's own scheme when the name only repeats it", () => {
    const deepseek = fixtureArchitecture("deepseek-ai--DeepSeek-V3");
    expect(formatFor(deepseek, "fp8")).toBe(deepseek.quantization);
    expect(formatFor(deepseek, "auto")).toBe(deepseek.quantization);
    expect(formatFor(fixtureArchitecture("Qwen--Qwen3-4B-AWQ"), "awq_marlin").name).toBe("awq-int4-group-128");
  });

  it("lists the names it knows when it does not know one", () => {
    expect(() => formatFor(llama, "q99")).toThrow(UnknownFormatError);
    expect(() => formatFor(llama, "q99")).toThrow(/Q4_K_M/);
  });

  it.each(formatNames)("%s takes between 1.5 and 33 bits per parameter", (format) => {
    const perParameter = (weightBytes(llama, format).checkpointBytes * 8) / countParameters(llama).total;
    expect(perParameter).toBeGreaterThan(1.5);
    expect(perParameter).toBeLessThan(33);
  });

  it("charges the GPTQ group index to the checkpoint only", () => {
    const matrix: WeightMatrix = { module: "model.layers.0.mlp.up_proj", kind: "linear", rows: 1024, columns: 1024 };
    const format = formatFor(llama, "gptq");
    expect(checkpointMatrixBytes(format, matrix) - schemeBytes(schemes.gptq(4, 128), 1024, 1024)).toBe(4 * 1024);
  });
});

describe("GGUF files", () => {
  /** Sizes of the files behind the Ollama library's tags, in bytes (registry manifests, November 2026). */
  it.each([
    ["meta-llama--Llama-3.1-8B", "Q4_K_M", 4_920_738_944],
    ["meta-llama--Llama-3.1-70B", "Q4_K_M", 42_520_413_916],
    ["meta-llama--Llama-3.2-3B-Instruct", "Q4_K_M", 2_019_377_376],
    ["mistralai--Mistral-7B-Instruct-v0.3", "Q4_K_M", 4_372_811_936],
    ["Qwen--Qwen2.5-7B-Instruct", "Q4_K_M", 4_683_073_952],
    ["Qwen--Qwen3-32B", "Q4_K_M", 19_762_149_024],
    ["Qwen--Qwen3-30B-A3B", "Q4_K_M", 18_556_685_824],
    ["openai--gpt-oss-20b", "MXFP4", 13_793_422_144],
  ])("%s as %s", (name, fileType, fileBytes) => {
    const bytes = weightBytes(fixtureArchitecture(name), fileType).servedBytes;
    expect(Math.abs(bytes / fileBytes - 1)).toBeLessThan(0.005);
  });

  it.each([
    ["model.layers.", "lm_head"],
    ["language_model.model.layers.", "language_model.lm_head"],
    ["model.language_model.layers.", "lm_head"],
  ])("have more bits in the same matrices, whatever a checkpoint calls its text model: %s", (layers, head) => {
    const format = formatFor(llama, "Q4_K_M");
    const matrix = { kind: "linear", rows: 4096, columns: 4096 } as const;
    const bytes = (module: string) => checkpointMatrixBytes(format, { ...matrix, module });
    const [more, fewer] = [bytes("model.layers.0.mlp.down_proj"), bytes("model.layers.5.mlp.down_proj")];
    expect(more).toBeGreaterThan(fewer);
    const asked = [
      "0.mlp.down_proj",
      "31.self_attn.v_proj",
      "5.self_attn.v_proj",
      "0.mlp.up_proj",
      "0.self_attn.v_proj_gate",
    ];
    expect(asked.map((name) => bytes(`${layers}${name}`))).toEqual([more, more, fewer, fewer, fewer]);
    expect(bytes(head)).toBe(more);
    // Towers and their projectors are a separate file in half precision.
    const towers = [
      "vision.blocks.qkv",
      "model.vision_tower.layers.0.self_attn.v_proj",
      "multi_modal_projector.linear_1",
    ];
    expect(towers.map(bytes)).toEqual(towers.map(() => 2 * 4096 * 4096));
  });
});
