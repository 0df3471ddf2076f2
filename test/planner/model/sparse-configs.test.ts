import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { familyDefaults, transformersVersion } from "../../../catalog/model-defaults";
import { assumptionNotes } from "../../../planner/model/assumed";
import { readModelConfig } from "../../../planner/model/config-json";
import { isPlainObject, type PlainObject } from "../../../planner/model/config-source";
import { countParameters } from "../../../planner/model/parameters";
import { compare, families, notYetExact } from "./families/compare";

const exact = families.filter((family) => !notYetExact.includes(family.modelType) && compare(family).kind === "exact");

/** The config without the keys that have their family's default, on every level, as transformers saves nested ones. */
function sparse(config: PlainObject, drops: (path: string) => boolean = () => true, path = ""): PlainObject {
  const defaults = familyDefaults(String(config.model_type));
  const kept = Object.entries(config).filter(
    ([key, value]) => !(defaults?.values[key] === value && value !== undefined && drops(`${path}${key}`)),
  );
  return Object.fromEntries(
    kept.map(([key, value]) => [key, isPlainObject(value) ? sparse(value, drops, `${path}${key}.`) : value]),
  );
}

describe("a config that leaves its family's defaults out", () => {
  it.each(exact)("$modelType counts as with all keys", (family) => {
    expect(compare(family, sparse(family.config))).toEqual({ kind: "exact" });
  });

  it("counts as with all keys, whichever are left out", () => {
    fc.assert(
      fc.property(fc.constantFrom(...exact), fc.func(fc.boolean()), (family, drops) => {
        expect(compare(family, sparse(family.config, drops))).toEqual({ kind: "exact" });
      }),
    );
  });

  // a class computes some settings from others; a reader that cannot do the same has to refuse
  it.each(exact)("$modelType by its name alone is exact or refused", (family) => {
    expect(["exact", "refused"]).toContain(compare(family, { model_type: family.modelType }).kind);
  });
});

// Published config.json of google/gemma-3-*-it and the parameters that their safetensors headers sum up to, as Hugging
// Face shows them.
const siglip = {
  hidden_size: 1152,
  image_size: 896,
  intermediate_size: 4304,
  model_type: "siglip_vision_model",
  num_attention_heads: 16,
  num_hidden_layers: 27,
  patch_size: 14,
  vision_use_head: false,
};

function gemma3(text: PlainObject): PlainObject {
  const linear = { factor: 8, rope_type: "linear" };
  return {
    architectures: ["Gemma3ForConditionalGeneration"],
    mm_tokens_per_image: 256,
    model_type: "gemma3",
    text_config: { model_type: "gemma3_text", rope_scaling: linear, sliding_window: 1024, ...text },
    torch_dtype: "bfloat16",
    vision_config: siglip,
  };
}

const gemma4b = gemma3({ hidden_size: 2560, intermediate_size: 10240, num_hidden_layers: 34 });

describe("Gemma 3 as published, without vocabulary and positions", () => {
  it.each([
    { name: "4b", config: gemma4b, parameters: 4_300_079_472, heads: 8, kvHeads: 4, headDim: 256 },
    {
      name: "12b",
      config: gemma3({
        hidden_size: 3840,
        intermediate_size: 15360,
        num_attention_heads: 16,
        num_hidden_layers: 48,
        num_key_value_heads: 8,
      }),
      parameters: 12_187_325_040,
      heads: 16,
      kvHeads: 8,
      headDim: 256,
    },
    {
      name: "27b",
      config: gemma3({
        head_dim: 128,
        hidden_size: 5376,
        intermediate_size: 21504,
        num_attention_heads: 32,
        num_hidden_layers: 62,
        num_key_value_heads: 16,
        query_pre_attn_scalar: 168,
      }),
      parameters: 27_432_406_640,
      heads: 32,
      kvHeads: 16,
      headDim: 128,
    },
  ])("$name has its published size", ({ config, parameters, heads, kvHeads, headDim }) => {
    const architecture = readModelConfig(config);
    expect(countParameters(architecture).total).toBe(parameters);
    expect(architecture).toMatchObject({ heads, kvHeads, headDim, vocabSize: 262_208, maxContextTokens: 131_072 });
  });

  it("says what the file leaves out, and only that", () => {
    const [note, ...rest] = assumptionNotes(readModelConfig(gemma4b).assumed);
    expect(note).toMatch(/head_dim 256.* and .* are the defaults of gemma3_text in transformers/);
    expect(note).toContain("vocab_size 262208");
    expect(note).toContain(`transformers ${transformersVersion}: the config leaves them out`);
    expect(note).not.toContain("hidden_size");
    expect(rest).toEqual([]);
  });
});

describe("a default is not taken", () => {
  it("where the file has the setting in another spelling", () => {
    // the class of gpt2 calls it n_head, and understands num_attention_heads
    const gpt2 = readModelConfig({ model_type: "gpt2", num_attention_heads: 6 });
    expect(gpt2.heads).toBe(6);
    expect(gpt2.assumed.map(({ key }) => key)).not.toContain("n_head");
  });

  it("where the file says null: the class computes it then", () => {
    const mistral = { model_type: "mistral", hidden_size: 4096, num_attention_heads: 32, num_hidden_layers: 2 };
    expect(readModelConfig(mistral).kvHeads).toBe(8);
    expect(readModelConfig({ ...mistral, num_key_value_heads: null }).kvHeads).toBe(32);
  });

  it("where the family is none of transformers, or vLLM reads it with a class of its own", () => {
    expect(() => readModelConfig({ model_type: "baichuan", hidden_size: 4096 })).toThrow(/num_hidden_layers.*missing/);
    expect(() => readModelConfig({ model_type: "kimi_k2", hidden_size: 4096 })).toThrow(/num_hidden_layers.*missing/);
  });

  it("for a whole text model", () => {
    expect(() => readModelConfig({ model_type: "gemma3" })).toThrow(/text_config.*missing/);
  });

  it("by names that every object inherits", () => {
    for (const model_type of ["constructor", "__proto__", "toString"]) {
      expect(() => readModelConfig({ model_type })).toThrow(/unknown model family/);
      const text_config = { model_type, hidden_size: 64 };
      expect(() => readModelConfig({ model_type: "llava", text_config })).toThrow(/unknown model family/);
    }
  });
});
