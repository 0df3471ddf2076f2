import { describe, expect, it } from "vitest";
import { estimateVllm } from "../../../../engines/vllm/memory/estimate";
import type { VllmRequest } from "../../../../engines/vllm/memory/request";
import type { ModelArchitecture } from "../../../../planner/model/architecture";
import { fixtureArchitecture } from "../../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const weightsGiB = (model: ModelArchitecture, gpuModel: string, changes: Partial<VllmRequest>): number =>
  estimateVllm(memoryRequest(model, { gpuModel, gpuMemoryGiB: 191.98, ...changes })).perGpu.weightsGiB;

/** What AMD's padding adds, against an L40S, which has the kernels of an AMD card otherwise. */
function added(model: ModelArchitecture, version: string, tensorParallel = 1): number {
  const changes = { engine: { version }, tensorParallel } as const;
  return weightsGiB(model, "AMD Instinct MI300X", changes) - weightsGiB(model, "NVIDIA L40S", changes);
}

describe("experts on AMD", () => {
  // 48 layers of 128 experts, 768 wide: rows of 2048 and of 768 values
  const qwen = fixtureArchitecture("Qwen--Qwen3-30B-A3B");
  const [layers, experts, hidden, width] = [48, 128, 2048, 768];
  const rows = (perExpert: number) => (layers * experts * perExpert * 256) / 2 ** 30;

  it("get 256 bytes a row where rows are multiples of 512 bytes: 9.2 % of this model", () => {
    expect(added(qwen, "0.19.0")).toBeCloseTo(rows(2 * width + hidden), 1);
    expect(added(qwen, "0.19.0") / weightsGiB(qwen, "NVIDIA L40S", {})).toBeCloseTo(0.0924, 3);
  });

  it("have rows of 384 bytes on four GPUs, where the second matrix is left alone", () => {
    expect(added(qwen, "0.19.0", 4)).toBeCloseTo(rows((2 * width) / 4), 1);
  });

  it("lose it from 0.20 to 0.24 and from 0.30", () => {
    const isPadded = ["0.19.1", "0.20.0", "0.24.0", "0.25.0", "0.29.0", "0.30.0", "0.33.0"].map(
      (version) => added(qwen, version) > 1,
    );
    expect(isPadded).toEqual([true, false, false, true, true, false, false]);
  });
});

describe("MXFP4 experts on AMD", () => {
  it("are padded to 256 both ways: 2,880 to 3,072, where Marlin takes 2,944", () => {
    const gptOss = fixtureArchitecture("openai--gpt-oss-20b");
    const values = (columns: number) => (24 * 32 * 3 * 3072 * columns * 4.25) / 8 / 2 ** 30;
    expect(added(gptOss, "0.33.0")).toBeCloseTo(values(3072) - values(2944), 1);
  });
});

describe("FP8 on AMD", () => {
  it("gets 256 bytes a row outside experts, in every version: 3.6 % of rows of 7,168", () => {
    const deepseek = fixtureArchitecture("deepseek-ai--DeepSeek-V3");
    // attention and dense layers of 37 of the 671 billion, whose rows are 1,536 to 18,432 bytes
    for (const version of ["0.19.0", "0.33.0"]) {
      expect(added(deepseek, version, 8)).toBeGreaterThan(0.1);
      expect(added(deepseek, version, 8)).toBeLessThan(0.5);
    }
  });

  it("leaves scales per row alone, and what is not FP8", () => {
    expect(added(fixtureArchitecture("meta-llama--Llama-3.1-8B"), "0.33.0")).toBe(0);
    expect(added(fixtureArchitecture("Qwen--Qwen3-4B-AWQ"), "0.33.0")).toBe(0);
  });
});
