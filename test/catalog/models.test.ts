import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findModel, type ModelEntry, modelNames, readModelConfigFile } from "../../catalog/models";
import { repositoryRoot } from "../../names/repository-root";

function model(name: string): ModelEntry {
  const found = findModel(name);
  if (found === undefined) {
    throw new Error(`${name} is missing`);
  }
  return found;
}

/** Dimensions of a config, whether on top or in a nested text_config. */
function textConfig(entry: ModelEntry): Record<string, unknown> {
  const config = JSON.parse(readModelConfigFile(entry).replaceAll(/-?\bInfinity\b|\bNaN\b/g, "null"));
  return config.text_config ?? config;
}

const GPT2_NAMES: Readonly<Record<string, string>> = {
  hidden_size: "n_embd",
  num_hidden_layers: "n_layer",
  num_attention_heads: "n_head",
};

describe("models", () => {
  it("are sorted by name", () => {
    expect(modelNames()).toEqual([...modelNames()].sort());
  });

  it.each(modelNames())("%s has a config.json with the dimensions of a transformer", (name) => {
    const config = textConfig(model(name));
    expect(config.model_type).toEqual(expect.any(String));
    for (const key of ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"]) {
      expect(config[key] ?? config[GPT2_NAMES[key] ?? ""], key).toBeGreaterThan(0);
    }
  });

  it("leave no config folder unused", () => {
    const folders = readdirSync(join(repositoryRoot(), "catalog", "models"));
    const used = new Set(modelNames().map((name) => dirname(model(name).configPath)));
    expect(folders.filter((folder) => !used.has(join(repositoryRoot(), "catalog", "models", folder)))).toEqual([]);
  });

  it("are found by name or repository, in any case", () => {
    expect(findModel("Meta-Llama/llama-3.3-70b-instruct")?.name).toBe("llama-3.3-70b-instruct");
    expect(findModel("LLAMA-3.3-70B-Instruct")?.name).toBe("llama-3.3-70b-instruct");
    expect(findModel("llama-3.3")).toBeUndefined();
  });

  it.each([
    [
      "llama-3.3-70b-instruct",
      { num_hidden_layers: 80, hidden_size: 8192, num_key_value_heads: 8, max_position_embeddings: 131072 },
    ],
    [
      "llama-3.1-405b-instruct",
      { num_hidden_layers: 126, hidden_size: 16384, num_attention_heads: 128, num_key_value_heads: 8 },
    ],
    [
      "qwen2.5-72b-instruct",
      {
        num_hidden_layers: 80,
        hidden_size: 8192,
        num_attention_heads: 64,
        num_key_value_heads: 8,
        intermediate_size: 29568,
      },
    ],
    [
      "gemma-2-27b-it",
      { num_hidden_layers: 46, hidden_size: 4608, num_attention_heads: 32, num_key_value_heads: 16, head_dim: 128 },
    ],
    ["gpt-oss-120b", { num_hidden_layers: 36, hidden_size: 2880, num_local_experts: 128, sliding_window: 128 }],
    [
      "qwen2.5-0.5b-instruct",
      { num_hidden_layers: 24, hidden_size: 896, tie_word_embeddings: true, torch_dtype: "bfloat16" },
    ],
  ])("%s has the published dimensions", (name, dimensions) => {
    expect(textConfig(model(name))).toMatchObject(dimensions);
  });

  it("of one family agree in their context, whatever third party a row was copied from", () => {
    const contexts = new Map<string, Set<unknown>>();
    for (const name of modelNames()) {
      const [, family] = /^(.+?)-\d+(?:\.\d+)?[bm](?:-|$)/.exec(name) ?? [];
      if (family !== undefined) {
        const { max_position_embeddings: context } = textConfig(model(name));
        contexts.set(family, (contexts.get(family) ?? new Set()).add(context));
      }
    }
    expect([...contexts].filter(([, each]) => each.size > 1)).toEqual([]);
    expect(contexts.get("qwen2.5")).toEqual(new Set([32768]));
  });

  it("alternate the attention of every gpt-oss-120b layer", () => {
    expect(textConfig(model("gpt-oss-120b")).layer_types).toHaveLength(36);
  });

  it.each(["llama-3.1-70b-instruct-fp8", "llama-3.1-405b-instruct-fp8"])(
    "%s has ModelOpt's file beside config.json",
    (name) => {
      expect(existsSync(join(dirname(model(name).configPath), "hf_quant_config.json"))).toBe(true);
    },
  );

  it("offer a model that a developer's CPU can serve through Ollama", () => {
    expect(model("qwen2.5-0.5b-instruct").builds?.ollama?.[0]).toMatchObject({
      tag: "qwen2.5:0.5b",
      fileBytes: 397807936,
    });
  });
});
