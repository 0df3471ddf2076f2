import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { didYouMean, formatPath, formatValue, toProblem } from "../../../stacks/config/core/problems";

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
