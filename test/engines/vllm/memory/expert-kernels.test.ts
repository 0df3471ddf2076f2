import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateVllm } from "../../../../engines/vllm/memory/estimate";
import {
  type ExpertKernel,
  type ExpertMatrix,
  mxfp4Allocations,
  mxfp4BiasBytes,
  mxfp4Kernel,
} from "../../../../engines/vllm/memory/expert-kernels";
import type { VllmRequest } from "../../../../engines/vllm/memory/request";
import { vllmConstants } from "../../../../engines/vllm/memory/versions";
import { readModelConfig } from "../../../../planner/model/config-json";
import { unquantized } from "../../../../planner/model/quantization";
import { fixtureConfig } from "../../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const rules = { tile: { rows: 64, columns: 128 }, scaleGroups: 2, keepsScales: true, tensorRtWidth: 256 } as const;
const sum = (bytes: readonly number[]): number => bytes.reduce((total, size) => total + size, 0);

/** gpt-oss-20b: 32 experts of 2880 × 2880. */
const up = { experts: 32, direction: "up", hidden: 2880, width: 2880, fused: 2 } as const;
const down = { ...up, direction: "down", fused: 1 } as const;

describe("FP8 experts without a gate", () => {
  // 23 layers of 128 experts of width 1856 and hidden size 2688, up and down
  const config = fixtureConfig("nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16");
  const fixedScales = readModelConfig({
    ...config,
    quantization_config: { quant_method: "modelopt", quant_algo: "FP8", ignore: ["lm_head"] },
  });
  const [hidden, layers, experts] = [2688, 23, 128];
  const weights = (version: string, changes: Partial<VllmRequest> = {}, architecture = fixedScales): number =>
    estimateVllm(memoryRequest(architecture, { engine: { version }, ...changes })).perGpu.weightsGiB;
  const l40s = { gpuModel: "NVIDIA L40S" };
  /** The allocator rounds each of the two parameters of a layer by up to 1 MiB. */
  const expectPadding = (difference: number, columns: number): void => {
    const padding = (layers * experts * 2 * hidden * columns) / 2 ** 30;
    expect(Math.abs(difference - padding)).toBeLessThanOrEqual((2 * layers) / 1024);
  };

  it("are padded to multiples of 128 on FlashInfer's kernels from 0.17.0: 1856 to 1920, a quarter to 512", () => {
    expectPadding(weights("0.17.0") - weights("0.16.0"), 1920 - 1856);
    expectPadding(weights("0.33.0", { tensorParallel: 4 }) - weights("0.16.0", { tensorParallel: 4 }), 512 - 464);
  });

  it("stay as they are below compute capability 9.0, and where inputs are scaled at run time", () => {
    expect(weights("0.17.0", l40s)).toBe(weights("0.16.0", l40s));
    const online = [{ quantization: "fp8" }, readModelConfig(config)] as const;
    expect(weights("0.17.0", ...online)).toBe(weights("0.16.0", ...online));
  });
});

describe("MXFP4 experts in memory", () => {
  it("Triton: values in tiles of 64 × 128, scales laid out for 256 rows, and the scales as loaded", () => {
    expect(mxfp4Allocations(up, "triton", rules)).toEqual([(32 * 5760 * 2944) / 2, 32 * 5888 * 90, 32 * 5760 * 90]);
    expect(mxfp4Allocations(down, "triton", rules)).toEqual([(32 * 2880 * 2944) / 2, 32 * 3072 * 90, 32 * 2880 * 90]);
  });

  it("Triton: tensor parallel parts start from a multiple of 64", () => {
    const quarter = { ...down, width: 720 };
    expect(mxfp4Allocations(quarter, "triton", rules)).toEqual([(32 * 2880 * 768) / 2, 32 * 3072 * 24, 32 * 2880 * 24]);
  });

  it("Marlin: 256 × 128, TensorRT-LLM: 256 × 256, scales included and held once", () => {
    expect(mxfp4Allocations(down, "marlin", rules)).toEqual([(32 * 3072 * 2944) / 2, 32 * 3072 * 92]);
    expect(mxfp4Allocations(up, "tensorrt-llm", rules)).toEqual([(32 * 6144 * 3072) / 2, 32 * 6144 * 96]);
  });

  it("from 0.25.0 the scales as loaded are freed, from 0.26.0 those of a row come in fours, from 0.27.0 widths in 128s", () => {
    const rulesOf = (version: string) => vllmConstants(version).constants.mxfp4;
    const laidOut = [(32 * 2880 * 2944) / 2, 32 * 3072 * 90];
    expect(mxfp4Allocations(down, "triton", rulesOf("0.24.0"))).toEqual([...laidOut, 32 * 2880 * 90]);
    expect(mxfp4Allocations(down, "triton", rulesOf("0.25.0"))).toEqual(laidOut);
    expect(mxfp4Allocations(down, "triton", rulesOf("0.26.0"))).toEqual([laidOut[0], 32 * 3072 * 92]);
    const eighth = { ...down, width: 360 };
    expect(mxfp4Allocations(eighth, "tensorrt-llm", rulesOf("0.26.0"))).toEqual([
      (32 * 3072 * 512) / 2,
      32 * 3072 * 16,
    ]);
    expect(mxfp4Allocations(eighth, "tensorrt-llm", rulesOf("0.27.0"))).toEqual([
      (32 * 3072 * 384) / 2,
      32 * 3072 * 12,
    ]);
  });

  it("biases are padded like their matrices, and are float32 but for Marlin", () => {
    const [gateAndUp, ofDown] = [
      { experts: 32, direction: "up", rows: 720, fused: 2 },
      { experts: 32, direction: "down", rows: 2880, fused: 1 },
    ] as const;
    const bytes = (kernel: ExpertKernel) => [gateAndUp, ofDown].map((bias) => mxfp4BiasBytes(bias, kernel, rules));
    expect(bytes("triton")).toEqual([32 * 2 * 768 * 4, 32 * 2880 * 4]);
    expect(bytes("tensorrt-llm")).toEqual([32 * 2 * 768 * 4, 32 * 3072 * 4]);
    expect(bytes("marlin")).toEqual([32 * 2 * 768 * 2, 32 * 3072 * 2]);
  });

  it("Triton serves checkpoints that are MXFP4 as gpt-oss is; others on its cards get Marlin", () => {
    const format = (method?: string) => ({ ...unquantized("bfloat16"), ...(method !== undefined && { method }) });
    expect(
      [undefined, "mxfp4", "fp8", "compressed-tensors"].map((method) => mxfp4Kernel("triton", format(method))),
    ).toEqual(["triton", "triton", "marlin", "marlin"]);
    expect(mxfp4Kernel("tensorrt-llm", format("fp8"))).toBe("tensorrt-llm");
  });

  it("never holds less than the checkpoint, and exactly that where every multiple fits", () => {
    const size = fc.integer({ min: 1, max: 200 });
    fc.assert(
      fc.property(
        fc.constantFrom<ExpertKernel>("triton", "triton-rocm", "marlin", "tensorrt-llm"),
        fc.constantFrom<ExpertMatrix["direction"]>("up", "down"),
        size,
        size,
        fc.integer({ min: 1, max: 256 }),
        (kernel, direction, hidden, width, experts) => {
          const matrix = { experts, direction, hidden: 32 * hidden, width: 32 * width, fused: 1 };
          const plain = experts * matrix.hidden * matrix.width * (1 / 2 + 1 / 32);
          expect(sum(mxfp4Allocations(matrix, kernel, rules))).toBeGreaterThanOrEqual(plain);
          const whole = { ...matrix, hidden: 256 * hidden, width: 256 * width };
          const values = experts * whole.hidden * whole.width;
          const scalesHeld = kernel === "triton" ? 2 : 1;
          expect(sum(mxfp4Allocations(whole, kernel, rules))).toBe(values / 2 + (scalesHeld * values) / 32);
        },
      ),
    );
  });
});
