import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ADAPTER_CONFIG,
  ADAPTER_WEIGHTS,
  type AdapterLimits,
  adapterFiles,
  checkAdapterConfig,
} from "../../../components/storage/scripts/adapter-files.ts";
import { FinalError } from "../../../components/storage/scripts/retry.ts";

const PATH = "models.chat.adapters.legal";
const LIMITS: AdapterLimits = {
  maxRank: 16,
  ranks: [8, 16, 64],
  rankKey: "models.chat.vllm.maxLoraRank",
  maxBytes: 1000,
};
const GOOD = { peft_type: "LORA", r: 16, lora_alpha: 32, bias: "none", target_modules: ["q_proj"] };
const check = (changes: object) => () => checkAdapterConfig(PATH, JSON.stringify({ ...GOOD, ...changes }), LIMITS);

describe("an adapter's configuration", () => {
  it.each([
    {},
    { r: 1 },
    { rank_pattern: { q_proj: 8 } },
    { rank_pattern: {}, modules_to_save: null, use_dora: false, layer_replication: null },
    { init_lora_weights: true },
    { init_lora_weights: "gaussian" },
  ])("is taken with %j", (changes) => {
    expect(check(changes)).not.toThrow();
  });

  it.each([
    [{ r: 17 }, "rank 17, allowed: at most 16 (--max-lora-rank); fix: write models.chat.vllm.maxLoraRank: 64"],
    [{ r: 65 }, "rank 65, allowed: at most 16 (--max-lora-rank); fix: train it with a smaller rank"],
    [{ rank_pattern: { "a.*": 32 } }, "rank 32, allowed: at most 16"],
    [{ r: "16" }, 'rank "16", allowed: a whole number above 0'],
    [{ r: 0 }, "rank 0, allowed: a whole number above 0"],
    [{ r: undefined }, "rank nothing, allowed: a whole number above 0"],
    [{ rank_pattern: 7.5 }, "rank 7.5, allowed: a whole number above 0"],
    [{ peft_type: "IA3" }, 'peft_type "IA3", allowed: "LORA"'],
    [{ bias: "all" }, 'bias "all", allowed: "none"'],
    [{ use_dora: true }, "use_dora, which the engine does not serve"],
    [{ modules_to_save: ["lm_head"] }, 'modules_to_save ["lm_head"], whole layers, allowed: none'],
    [{ init_lora_weights: "pissa" }, 'init_lora_weights "pissa", which changes the model\'s own weights'],
  ])("is refused with %j", (changes, message) => {
    expect(check(changes)).toThrow(FinalError);
    expect(check(changes)).toThrow(`${PATH}: ${ADAPTER_CONFIG} says ${message}`);
  });

  it("is refused with all reasons at once", () => {
    expect(check({ r: 17, use_dora: true })).toThrow(/use_dora.*; and rank 17/);
  });

  it("is refused, whatever it holds, with one short line and no other error", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json(), fc.record({ r: fc.anything(), rank_pattern: fc.anything() })),
        (held) => {
          const text =
            typeof held === "string" ? held : (JSON.stringify(held, (_, v) => (typeof v === "bigint" ? 1 : v)) ?? "");
          let error: unknown;
          try {
            checkAdapterConfig(PATH, text, LIMITS);
          } catch (thrown) {
            error = thrown;
          }
          expect(error).toBeInstanceOf(FinalError);
          const { message } = error as FinalError;
          expect(message.split("\n")).toHaveLength(1);
          expect(message.length).toBeLessThan(1000);
        },
      ),
    );
  });
});

describe("an adapter's files", () => {
  const listed = (config = 500, weights = 1000) => [
    { path: "README.md", size: 9 },
    { path: ADAPTER_CONFIG, size: config },
    { path: ADAPTER_WEIGHTS, size: weights },
    { path: "adapter_model.bin", size: 9 },
  ];

  it("are its configuration and its safetensors", () => {
    expect(adapterFiles(PATH, listed(), LIMITS)).toEqual([ADAPTER_CONFIG, ADAPTER_WEIGHTS]);
  });

  it("are refused where they are larger than there is room for", () => {
    expect(() => adapterFiles(PATH, listed(500, 1001), LIMITS)).toThrow(
      "adapter_model.safetensors has 1001 bytes; allowed are 1000, what an adapter of rank 16 can have on this model",
    );
    expect(() => adapterFiles(PATH, listed(2 ** 20 + 1), LIMITS)).toThrow("adapter_config.json has 1048577 bytes");
  });

  it("are refused where one is missing", () => {
    expect(() => adapterFiles(PATH, listed().slice(0, 2), LIMITS)).toThrow(
      `${PATH}: there is no adapter_model.safetensors, only: README.md, adapter_config.json`,
    );
  });
});
