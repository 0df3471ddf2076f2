import { describe, expect, it } from "vitest";
import { findModel, modelNames, readModelConfigFile } from "../../catalog/models";
import { unservedByConfig, unservedByName, unservedByTask } from "../../catalog/unserved-models";
import { parseConfigJson, readModelConfig } from "../../planner/model/config-json";
import { knownFamilies } from "../../planner/model/families/registry";

describe("a model that no engine here serves", () => {
  it.each([
    ["openai/whisper-large-v3", "speech recognition"],
    ["whisper-large-v3", "speech recognition"],
    ["distil-whisper/distil-large-v3", "speech recognition"],
    ["Systran/faster-whisper-small", "speech recognition"],
    ["hexgrad/Kokoro-82M", "speech synthesis"],
    ["stabilityai/stable-diffusion-xl-base-1.0", "generation of images and video"],
    ["sdxl", "generation of images and video"],
    ["black-forest-labs/FLUX.1-dev", "generation of images and video"],
    ["google/vit-base-patch16-224", "classification"],
    ["meta-llama/Llama-3.2-11B-Vision-Instruct", "Llama 3.2 Vision (Mllama)"],
  ])("is told by the name %s", (name, kind) => {
    expect(unservedByName(name)?.kind).toBe(kind);
  });

  it("is none of the catalogue's, by name or file", () => {
    for (const name of modelNames()) {
      const entry = findModel(name);
      expect([name, entry && unservedByName(name), entry && unservedByName(entry.repository)]).toEqual([
        name,
        undefined,
        undefined,
      ]);
      const config = entry && (parseConfigJson(readModelConfigFile(entry)) as Record<string, unknown>);
      expect([name, config && unservedByConfig(config)]).toEqual([name, undefined]);
    }
    expect(knownFamilies().filter((model_type) => unservedByConfig({ model_type }))).toEqual([]);
  });

  it.each([
    [{ model_type: "whisper", hidden_size: 64 }, /^speech recognition/],
    [{ _class_name: "UNet2DConditionModel", _diffusers_version: "0.35.0" }, /^generation of images/],
    [
      { model_type: "bert", architectures: ["BertForSequenceClassification"], id2label: { 0: "no", 1: "yes" } },
      /^classification/,
    ],
    [{ model_type: "mllama", text_config: { hidden_size: 64 } }, /Mllama/],
  ])("is told by its config.json %j", (config, kind) => {
    expect(unservedByConfig(config)?.kind).toMatch(kind);
    expect(() => readModelConfig(config)).toThrow(/is not served/);
  });

  it("is no reranker: that has one label", () => {
    const reranker = {
      model_type: "bert",
      architectures: ["BertForSequenceClassification"],
      id2label: { 0: "LABEL_0" },
    };
    expect(unservedByConfig(reranker)).toBeUndefined();
  });

  it("is told by its task", () => {
    expect(unservedByTask("TTS")?.kind).toBe("speech synthesis");
    expect(unservedByTask("chat")).toBeUndefined();
  });
});
