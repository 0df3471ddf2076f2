import { describe, expect, it } from "vitest";
import { tableBytes } from "../../../../engines/vllm/memory/block-tables";
import { estimateVllm } from "../../../../engines/vllm/memory/estimate";
import type { VllmRequest } from "../../../../engines/vllm/memory/request";
import { read } from "../../../planner/model/families/reading";
import { fixtureArchitecture } from "../../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");
const deepseekV4 = read("deepseek_v4");
const full = { kind: "full" } as const;
const window = { kind: "sliding", windowTokens: 128 } as const;
const limits = { maxNumSeqs: 1024, maxNumBatchedTokens: 8192 };

describe("tables of pages", () => {
  const need = { layers: llama.layerSpecs, limits, runner: "v1" as const, contextTokens: 131_072 };

  it("have a row of every request and group, with an entry of 4 bytes for each page of the longest context", () => {
    const groups = [
      { scope: full, layers: 32, blockTokens: 256 },
      { scope: window, layers: 32, blockTokens: 4 },
    ];
    const layout = { groups, pageBytes: 1, blockTokens: 4 };
    const bytes = 1024 * (131_072 / 256 + 131_072 / 4) * 4;
    expect(tableBytes({ ...need, layout })).toBe(bytes);
    // The second runner has one that a step reads besides.
    expect(tableBytes({ ...need, layout, runner: "v2" })).toBe(2 * bytes);
    expect(tableBytes({ ...need, layout, limits: { ...limits, maxNumSeqs: 1 } })).toBe(bytes / 1024);
  });

  it("list what sparse attention looks at, for every token of a batch", () => {
    const layout = { groups: [{ scope: full, layers: 1, blockTokens: 131_072 }], pageBytes: 1, blockTokens: 131_072 };
    const own = 1024 * 4;
    const listed = 8192 * (2 * (131_072 / 128) + 131_072 / 256) * 4;
    expect(tableBytes({ ...need, layout, layers: deepseekV4.layerSpecs })).toBe(own + listed);
    const v3 = fixtureArchitecture("deepseek-ai--DeepSeek-V3").layerSpecs;
    expect(tableBytes({ ...need, layout, layers: v3 })).toBe(own);
  });
});

describe("a card that is filled", () => {
  const asked: Partial<VllmRequest> = {
    gpuModel: "NVIDIA RTX PRO 6000 Blackwell Server Edition",
    gpuMemoryGiB: 94.97,
    tensorParallel: 8,
    utilization: 0.97,
    engine: { version: "0.25.0" },
  };
  const decides = (changes: Partial<VllmRequest>) => {
    const { answer, decides: decider } = estimateVllm(memoryRequest(deepseekV4, { ...asked, ...changes })).verdict;
    return [answer, decider];
  };

  it("has no room for the tables of a long context that its cache would hold", () => {
    expect(decides({ contextTokens: 65_536 })).toEqual(["fits", "KV cache"]);
    expect(decides({ contextTokens: 1_048_576 })[1]).toBe("graph capture");
    expect(decides({ contextTokens: 1_048_576, vllm: { maxNumSeqs: 16 } })).toEqual(["fits", "KV cache"]);
  });
});
