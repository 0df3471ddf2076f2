import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Adapter } from "../../../engines/served-model";
import { adapterProblems, LORA_RANKS, loraRoom } from "../../../engines/vllm/adapters";
import upstream from "../../fixtures/upstream/vllm-flags.json";
import { architectureOf } from "../../planner/fixtures";

const adapter = (name: string, rank?: number): Adapter => ({
  name,
  source: { kind: "huggingface", repository: `org/${name}`, revision: "main" },
  ...(rank !== undefined && { rank }),
});

describe("room for adapters", () => {
  it("has the ranks of the pinned release", () => {
    const flag = upstream.flags.find(({ name }) => name === "--max-lora-rank");
    expect(flag).toMatchObject({ choices: [...LORA_RANKS], default: 16 });
  });

  it("is none without adapters", () => {
    expect(loraRoom({})).toBeUndefined();
    expect(loraRoom({ adapters: [] })).toBeUndefined();
  });

  it.each([
    [[undefined], {}, { slots: 1, maxRank: 16 }],
    [[8], {}, { slots: 1, maxRank: 8 }],
    [[8, 33], {}, { slots: 2, maxRank: 64 }],
    [[300], {}, { slots: 1, maxRank: 320 }],
    [[8, 8, 8], { maxLoras: 2, maxLoraRank: 32 }, { slots: 2, maxRank: 32 }],
  ])("of ranks %j with %j is %j", (ranks, asked, room) => {
    expect(loraRoom({ adapters: ranks.map((rank, i) => adapter(`a${i}`, rank)), ...asked })).toEqual(room);
  });

  it("holds every declared rank in the smallest that the flag takes, and few adapters at once", () => {
    const ranks = fc.array(fc.integer({ min: 1, max: 512 }), { minLength: 1, maxLength: 63 });
    fc.assert(
      fc.property(ranks, (declared) => {
        const room = loraRoom({ adapters: declared.map((rank, i) => adapter(`a${i}`, rank)) });
        const largest = Math.max(...declared);
        expect(room?.maxRank).toBe(LORA_RANKS.find((rank) => rank >= largest));
        expect(room?.slots).toBe(Math.min(8, declared.length));
      }),
    );
  });
});

describe("adapters that vLLM would not start with", () => {
  const layout = { tensorParallel: 1, pipelineParallel: 1 };
  const problems = (model: string, adapters: readonly Adapter[]) =>
    adapterProblems({ ...layout, architecture: architectureOf(model), adapters });

  it("are those of a class without them", () => {
    expect(problems("kimi-k2.5", [adapter("a")])).toEqual([
      "vLLM's class of kimi_k2 models takes no LoRA adapters: remove adapters",
    ]);
    expect(problems("kimi-k2.5", [])).toEqual([]);
    expect(problems("llama-3.1-8b-instruct", [adapter("a")])).toEqual([]);
  });

  it("are those of a vocabulary that the head's adapters do not reach", () => {
    const architecture = { ...architectureOf("qwen3-8b"), vocabSize: 262_144 };
    expect(adapterProblems({ ...layout, architecture, adapters: [adapter("a")] })).toEqual([
      "vLLM takes LoRA adapters of qwen3 models whose vocabulary has at most 258048 tokens, this one has 262144: remove adapters",
    ]);
  });
});
