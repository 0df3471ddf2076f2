import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  kvLayout,
  pagesPerRequest,
  pooledTokens,
  requestBytes,
  requestCapacity,
} from "../../../../engines/vllm/memory/kv-groups";
import { layerCaches } from "../../../../planner/memory/kv-cache";
import { atNight } from "../../../harness/property-runs";
import { fixtureArchitecture } from "../../../planner/model/fixtures";

const rules = { groupSizeTolerance: 1.25, hybridStatePages: 1 };

function layout(name: string, hybridStatePages = 1) {
  const result = kvLayout(layerCaches(fixtureArchitecture(name), "bfloat16", 1), { ...rules, hybridStatePages });
  if (result === undefined) {
    throw new Error(`${name} caches nothing`);
  }
  return result;
}

describe("groups of layers", () => {
  it("one for a model of one kind", () => {
    const llama = layout("meta-llama--Llama-3.1-8B");
    expect(llama.groups).toEqual([{ scope: { kind: "full" }, layers: 32, blockTokens: 16 }]);
    expect(llama.pageBytes).toBe(16 * 131072);
  });

  it("two of 21 for Gemma 2, seven of 10 (62 layers padded to 70) for Gemma 3 27B", () => {
    expect(layout("google--gemma-2-9b-it").groups.map((group) => group.layers)).toEqual([21, 21]);
    const gemma3 = layout("google--medgemma-27b-it").groups;
    expect(gemma3).toHaveLength(7);
    expect(gemma3.every((group) => group.layers === 10)).toBe(true);
  });

  it("the larger number when both are close", () => {
    const caches = [
      ...Array.from({ length: 12 }, () => ({ bytesPerToken: 64, scope: { kind: "full" } as const, stateBytes: 0 })),
      ...Array.from({ length: 13 }, () => ({
        bytesPerToken: 64,
        scope: { kind: "sliding", windowTokens: 128 } as const,
        stateBytes: 0,
      })),
    ];
    expect(kvLayout(caches, rules)?.groups.map((group) => group.layers)).toEqual([13, 13]);
    expect(kvLayout(caches.slice(4), rules)?.groups.map((group) => group.layers)).toEqual([8, 8, 8]);
  });

  it("pages long enough for a recurrent state", () => {
    const nemotron = layout("nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16");
    const state = (64 * 64 * 128 * 4 + 6144 * 3 * 2) / 1;
    expect(nemotron.blockTokens * 1024).toBeGreaterThanOrEqual(state);
    expect(nemotron.blockTokens % 16).toBe(0);
  });

  it("none without a cache", () => {
    expect(kvLayout(layerCaches(fixtureArchitecture("BAAI--bge-m3"), "bfloat16", 1), rules)).toBeUndefined();
  });
});

describe("what a pool holds", () => {
  it("reports the plain formula for one kind of layer", () => {
    const llama = layout("meta-llama--Llama-3.1-8B");
    expect(pooledTokens(llama, 100 * llama.pageBytes + 5)).toBe(1600);
    expect(pooledTokens(llama, -1)).toBe(0);
  });

  it("counts every sliding layer as full in the reported figure, but not in the capacity", () => {
    const gptOss = layout("openai--gpt-oss-20b");
    const pool = 10 * 2 ** 30;
    const tokens = pooledTokens(gptOss, pool);
    expect(tokens).toBeCloseTo(pool / 49152, -2);
    expect(requestCapacity(gptOss, pool, 100_000, 8192) * 100_000).toBeGreaterThan(1.7 * tokens);
  });

  it("agrees with itself: capacity requests fit, one page more does not", () => {
    const names = [
      "meta-llama--Llama-3.1-8B",
      "google--gemma-2-9b-it",
      "openai--gpt-oss-20b",
      "deepseek-ai--DeepSeek-V3",
    ] as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 2 ** 36 }),
        (name, tokens, pool) => {
          const pages = layout(name);
          const whole = Math.floor(requestCapacity(pages, pool, tokens, 8192));
          expect(requestBytes(pages, whole, tokens, 8192)).toBeLessThanOrEqual(pool);
          expect(requestBytes(pages, whole + 1, tokens, 8192)).toBeGreaterThan(pool - pages.pageBytes);
        },
      ),
      { numRuns: atNight(200) },
    );
  });

  it("takes one page more per group of states from 0.21 on, none more where only states are cached", () => {
    const name = "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16";
    const states = layout(name).groups.filter((group) => group.scope.kind === "state").length;
    expect(pagesPerRequest(layout(name, 2), 32_768, 8192)).toBe(pagesPerRequest(layout(name), 32_768, 8192) + states);
    const mamba = [{ bytesPerToken: 0, scope: { kind: "full" } as const, stateBytes: 4096 }];
    const pure = kvLayout(mamba, { ...rules, hybridStatePages: 2 });
    expect(pure && pagesPerRequest(pure, 32_768, 8192)).toBe(1);
  });

  it("reproduces what vLLM 0.24 printed for Qwen3.6-35B-A3B: 4.33 requests of 131,072 in 5.98 GiB, 567,978 tokens", () => {
    const attention = { bytesPerToken: 2 * 2 * 256, scope: { kind: "full" } as const, stateBytes: 0 };
    const state = {
      bytesPerToken: 0,
      scope: { kind: "full" } as const,
      stateBytes: 3 * 8192 * 2 + 32 * 128 * 128 * 4,
    };
    const caches = Array.from({ length: 40 }, (_, layer) => (layer % 4 === 3 ? attention : state));
    const pages = kvLayout(caches, { groupSizeTolerance: 1.5, hybridStatePages: 2 });
    if (pages === undefined) {
      throw new Error("no cache");
    }
    const requests = requestCapacity(pages, 5.98 * 2 ** 30, 131_072, 16_384);
    expect(requests).toBeCloseTo(4.33, 2);
    expect(Math.floor(requests * 131_072)).toBe(567_978);
  });

  it("never takes fewer pages for a longer request", () => {
    const gemma = layout("google--medgemma-27b-it");
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), fc.integer({ min: 0, max: 10_000 }), (tokens, more) => {
        expect(pagesPerRequest(gemma, tokens + more, 8192)).toBeGreaterThanOrEqual(
          pagesPerRequest(gemma, tokens, 8192),
        );
      }),
    );
  });
});
