import { describe, expect, it } from "vitest";
import { estimateVllm } from "../../../../engines/vllm/memory/estimate";
import { nvfp4ExpertMultiple } from "../../../../engines/vllm/memory/nvfp4-experts";
import { vllmConstants } from "../../../../engines/vllm/memory/versions";
import { readModelConfig } from "../../../../planner/model/config-json";
import { fixtureConfig } from "../../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const gated = { gated: true, hidden: 2048 };
const plain = { gated: false, hidden: 2688 };

describe("the width of NVFP4 experts", () => {
  it.each([
    ["B200: TensorRT-LLM, 16", 10, gated, "0.25.1", 16],
    ["B200 from 0.26.0: 64", 10, gated, "0.26.0", 64],
    ["B200 without a gate: 128", 10, plain, "0.19.1", 128],
    ["RTX 5090: CUTLASS, as it is", 12, gated, "0.33.0", 1],
    ["RTX 5090 without a gate: 128", 12, plain, "0.33.0", 128],
    ["H100: Marlin, as it is", 9, gated, "0.23.0", 1],
    ["H100 from 0.24.0: 64", 9, gated, "0.24.0", 64],
    ["H100, hidden size no multiple of 128: 128", 9, { gated: true, hidden: 2880 }, "0.24.0", 128],
  ])("%s", (_case, generation, experts, version, multiple) => {
    expect(nvfp4ExpertMultiple({ generation }, experts, vllmConstants(version).constants)).toBe(multiple);
  });

  it("counts in the weights: a quarter of 704 is 176 on four GPUs, padded to 192", () => {
    const model = readModelConfig({
      ...fixtureConfig("Qwen--Qwen3-30B-A3B"),
      moe_intermediate_size: 704,
      quantization_config: { quant_method: "modelopt", quant_algo: "NVFP4", ignore: ["lm_head"] },
    });
    const weights = (version: string) =>
      estimateVllm(
        memoryRequest(model, {
          gpuModel: "NVIDIA B200",
          gpuMemoryGiB: 178.35,
          tensorParallel: 4,
          engine: { version },
        }),
      ).perGpu.weightsGiB;
    const padding = (48 * 128 * 3 * 2048 * (192 - 176) * 4.5) / 8 / 2 ** 30;
    expect(weights("0.26.0") - weights("0.25.1")).toBeCloseTo(padding, 1);
  });
});
