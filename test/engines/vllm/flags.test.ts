import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ruleFor } from "../../../catalog/engine-options";
import { engineOptions } from "../../../engines";
import { memoryFlags, readVllmFlags } from "../../../engines/vllm/flags";
import { vllmArgument } from "../../../engines/vllm/options";
import type { ArgumentValue } from "../../../planner/types";

const options = (args: Readonly<Record<string, ArgumentValue>>) => {
  const { options: read, problems } = readVllmFlags(args);
  expect(problems).toEqual([]);
  return read;
};

describe("flags of vLLM that the memory figure counts with", () => {
  it("are flags of the pinned version, and no rule says that they are not counted whatever their value", () => {
    const { settings, refused, memory } = engineOptions("vllm").arguments;
    const byValue = ["limit-mm-per-prompt", "moe-backend"];
    for (const name of memoryFlags) {
      expect(vllmArgument(name), name).toBeDefined();
      expect(ruleFor(refused, name), name).toBeUndefined();
      expect(ruleFor(memory, name) !== undefined, name).toBe(byValue.includes(name));
      expect(ruleFor(settings, name), name).toBe(name === "max-num-seqs" ? "vllm.maxNumSeqs" : undefined);
    }
  });

  it("are read as the engine reads them", () => {
    expect(
      options({
        dtype: "half",
        "max-num-seqs": 64,
        "max-num-batched-tokens": "16K",
        "enforce-eager": true,
        "enable-expert-parallel": true,
        "language-model-only": true,
        "mm-encoder-tp-mode": "data",
        "moe-backend": "marlin",
        seed: 1,
      }),
    ).toEqual({
      dtype: "float16",
      maxNumSeqs: 64,
      maxNumBatchedTokens: 16_384,
      enforceEager: true,
      expertParallel: true,
      languageModelOnly: true,
      encoderParallelism: "data",
      moeBackend: "marlin",
    });
    expect(options({ dtype: "auto", "moe-backend": "auto" })).toEqual({});
    expect(options({ dtype: "float" })).toEqual({ dtype: "float32" });
  });

  it("are understood switched off, and under other names", () => {
    expect(options({ "no-enforce-eager": true, "disable-expert-parallel": true })).toEqual({
      enforceEager: false,
      expertParallel: false,
    });
    expect(options({ ep: true, "disable-chunked-prefill": true })).toEqual({
      expertParallel: true,
      chunkedPrefill: false,
    });
    expect(options({ "enforce-eager": false })).toEqual({ enforceEager: false });
  });

  it("are counted only with values whose effect is known", () => {
    const counted = (name: string, value: ArgumentValue) => readVllmFlags({ [name]: value }).counted;
    expect(counted("limit-mm-per-prompt", { image: 0, video: 0 })).toEqual(["limit-mm-per-prompt"]);
    expect(counted("limit-mm-per-prompt", '{"image": {"count": 0}, "video": 0}')).toEqual(["limit-mm-per-prompt"]);
    expect(counted("limit-mm-per-prompt", { image: 4 })).toEqual([]);
    expect(counted("limit-mm-per-prompt", { image: 0 })).toEqual([]);
    expect(counted("moe-backend", "triton")).toEqual(["moe-backend"]);
    expect(counted("moe-backend", "deep_gemm")).toEqual([]);
    expect(counted("seed", 1)).toEqual([]);
  });

  it("are refused with every wrong value at once", () => {
    const wrong = {
      dtype: "fp16",
      "enforce-eager": "yes",
      "max-num-batched-tokens": "lots",
      "max-num-seqs": 0,
      "limit-mm-per-prompt": "[1]",
      "mm-encoder-tp-mode": "both",
    };
    const { problems, options: read } = readVllmFlags(wrong);
    expect(problems.map(({ flag }) => flag)).toEqual(Object.keys(wrong));
    expect(problems[0]?.allowed).toBe("one of auto, half, float16, bfloat16, float, float32");
    expect(read).toEqual({});
  });

  it("never throw, whatever stands there", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...memoryFlags, "constructor", "__proto__"), fc.jsonValue()),
        (args) => {
          const { counted, problems } = readVllmFlags(args as Record<string, ArgumentValue>);
          expect(counted.length + problems.length).toBeLessThanOrEqual(Object.keys(args).length);
        },
      ),
    );
  });
});
