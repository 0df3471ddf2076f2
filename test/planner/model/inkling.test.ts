/** Inkling: what its layers cache, as vLLM 0.33 lays it out (models/inkling/nvidia/sconv_swa_attn.py). */
import { describe, expect, it } from "vitest";
import { parallelismProblems } from "../../../engines/vllm/divisibility";
import { kvLayout } from "../../../engines/vllm/memory/kv-groups";
import { vllmConstants } from "../../../engines/vllm/memory/versions";
import { kvCacheBytesPerToken, kvCacheBytesPerTokenBeyondWindow, layerCaches } from "../../../planner/memory/kv-cache";
import { readModelConfig } from "../../../planner/model/config-json";
import { countParameters } from "../../../planner/model/parameters";
import { tensorInventory } from "../../../planner/model/tensors";
import { defaultArchitecture, defaultConfig } from "./families/compare";

const model = defaultArchitecture("inkling_text");

describe("Inkling", () => {
  it("caches 55 windows of 16 heads and 11 full layers of 8", () => {
    const [full, sliding] = [11 * 2 * 8 * 128 * 2, 55 * 2 * 16 * 128 * 2];
    expect(kvCacheBytesPerToken(model)).toBe(full + sliding);
    expect(kvCacheBytesPerTokenBeyondWindow(model)).toBe(full);
  });

  it.each([1, 2, 8])("keeps convolutions in pages of four tokens that attention's pages equal, at TP %i", (tp) => {
    const pageBytes = (4 * 16 * 1024 * 2) / tp;
    const [first] = layerCaches(model, "auto", tp);
    expect(first?.paged).toEqual([
      { scope: { kind: "sliding", windowTokens: 4 }, blockTokens: 4, pageBytes },
      { scope: { kind: "sliding", windowTokens: 512 }, blockTokens: 16, pageBytes },
    ]);
    const layout = kvLayout(layerCaches(model, "auto", tp), vllmConstants("0.33.0").constants);
    expect(layout?.pageBytes).toBe(11 * pageBytes);
    const groups = layout?.groups.map(({ blockTokens, layers }) => `${blockTokens} × ${layers}`).sort();
    expect(groups).toEqual([
      ...Array.from({ length: 5 }, () => "16 × 11"),
      "32 × 11",
      ...Array.from({ length: 6 }, () => "4 × 11"),
    ]);
  });

  it("holds the table of tokens whole on every GPU, and splits the head", () => {
    const split = (name: string): unknown => tensorInventory(model).find(({ module }) => module === name)?.split.along;
    expect(split("model.embed_tokens")).toBe("none");
    expect(split("lm_head")).toBe("vocabulary");
  });

  it("is split over no more GPUs than its full layers have KV heads", () => {
    expect(parallelismProblems(model, 8, 1)).toEqual([]);
    expect(parallelismProblems(model, 16, 1)).toContain(
      "TP 16 exceeds the 8 KV heads that short convolutions are split by",
    );
  });

  it("places sliding layers by local_layer_ids, or five in six", () => {
    const sliding = (changes: object): number =>
      defaultArchitecture("inkling_text", { layer_types: undefined, ...changes }).layerSpecs.filter(
        ({ mixer }) => mixer.kind === "attention" && mixer.scope.kind === "sliding",
      ).length;
    expect(sliding({})).toBe(55);
    expect(sliding({ local_layer_ids: [0, 1, 2] })).toBe(3);
  });

  it("counts no tower that it cannot read", () => {
    const whole = { model_type: "inkling_mm_model", text_config: defaultConfig("inkling_text") };
    expect(countParameters(readModelConfig(whole))).toEqual(countParameters(model));
    expect(() => readModelConfig({ ...whole, vision_config: { hidden_size: 1024 } })).toThrow("vision_config");
  });
});
