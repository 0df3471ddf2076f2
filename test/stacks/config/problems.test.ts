import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meantNames } from "../../../stacks/config/core/near-names";
import { didYouMean, formatPath, formatValue, suggest, toProblem } from "../../../stacks/config/core/problems";

describe("did you mean", () => {
  it.each([
    ["kv_cache_dtype", ["kvCacheDtype", "loading"], "kvCacheDtype"],
    ["PROD", ["production", "development"], "production"],
    ["modle", ["model", "config"], "model"],
    ["llama-3.1-8b", ["llama-3.1-8b", "llama-3.1-8b-instruct"], "llama-3.1-8b"],
    ["zebra", ["model", "config"], undefined],
    ["x", [], undefined],
  ])("%s", (name, candidates, expected) => {
    expect(didYouMean(name, candidates)).toBe(expected);
  });

  it.each([
    // One slip before a common beginning.
    ["llama-3.1-8b-instrct", ["llama-3.1-8b", "llama-3.1-8b-instruct"], ["llama-3.1-8b-instruct"]],
    ["modle", ["model", "mod"], ["model"]],
    // All that begin so, not the nearest of them.
    ["qwen3-235b", ["qwen3-32b", "qwen3-235b-a22b", "qwen3-235b-a22b-fp8"], ["qwen3-235b-a22b", "qwen3-235b-a22b-fp8"]],
    ["h100", ["h200", "h100-pcie", "h100-nvl"], ["h100-pcie", "h100-nvl"]],
    ["h100-sxm5", ["h200", "h100-pcie", "h100-nvl"], ["h100-pcie", "h100-nvl"]],
    // Other digits are another name.
    ["h100", ["h200"], []],
    ["VM.GPU.A10.4", ["VM.GPU.A10.1", "VM.GPU.A10.2", "VM.GPU3.4"], ["VM.GPU.A10.1", "VM.GPU.A10.2"]],
    ["fp16", ["fp8"], []],
    // What is left over must be of the same word.
    ["minimum", ["min", "max"], ["min"]],
    ["maxModelLen", ["min", "max"], []],
    ["resources", ["source"], []],
    ["nodeSelector", ["node"], []],
    ["rtx4090", ["rtx-4090", "rtx-3090"], ["rtx-4090"]],
  ])("of %s is all that it may mean", (name, candidates, expected) => {
    expect(meantNames(name, candidates)).toEqual(expected);
  });

  it("lists several, and says how many there are besides", () => {
    expect(suggest("h100", ["h100-nvl", "h100-pcie"], "")).toBe('did you mean "h100-nvl" or "h100-pcie"?');
    const many = Array.from({ length: 6 }, (_, index) => `a100-${index}`);
    expect(suggest("a100", many, "")).toMatch(/"a100-3", or of 2 more/);
    expect(suggest("zebra", many, "take one")).toBe("take one");
  });

  it("finds a candidate after any one slip in a name of six letters or more", () => {
    const names = ["contextTokens", "concurrency", "replicas", "tensorParallel", "maxNumSeqs"];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), (name, at) => {
        const index = at % name.length;
        expect(didYouMean(name.slice(0, index) + name.slice(index + 1), names)).toBe(name);
      }),
    );
  });
});

describe("printing", () => {
  it("writes paths as people type them", () => {
    expect(formatPath(["pools", "gpu", "labels", "example.com/team"])).toBe('pools.gpu.labels["example.com/team"]');
    expect(formatPath(["gateway", "consumers", 0])).toBe("gateway.consumers[0]");
  });

  it.each([
    [undefined, "nothing"],
    [null, "nothing"],
    ["a\u001b[31m", '"a\\u001b[31m"'],
    [["a", 1], '["a", 1]'],
    [{}, "an empty mapping"],
    [{ password: "geheim" }, 'a mapping with "password"'],
    ["hf_abcdefghijkl", '"(hidden)"'],
    ["https://user:geheim@host/path", '"https://(hidden)@host/path"'],
    ["s3://bucket/key?X-Amz-Signature=geheim", '"s3://bucket/key?(hidden)"'],
  ])("shows %j safely", (value, expected) => {
    expect(formatValue(value)).toBe(expected);
  });

  it("shortens long values", () => {
    expect(formatValue("x".repeat(500)).length).toBeLessThan(110);
  });

  it("makes one sentence of a problem", () => {
    const problem = toProblem({ path: ["stage"], value: "prod", allowed: "one of a, b", fix: "write a" });
    expect(problem.message).toBe('stage is "prod"; allowed: one of a, b. Write a.');
  });
});
