import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ExpertKernel, type ExpertMatrix, mxfp4Allocations } from "../../../planner/memory/expert-kernels";

const tile = { rows: 64, columns: 128 };
const sum = (bytes: readonly number[]): number => bytes.reduce((total, size) => total + size, 0);

/** gpt-oss-20b: 32 experts of 2880 × 2880. */
const up = { experts: 32, direction: "up", hidden: 2880, width: 2880, fused: 2 } as const;
const down = { ...up, direction: "down", fused: 1 } as const;

describe("MXFP4 experts in memory", () => {
  it("Triton: values in tiles of 64 × 128, scales laid out for 256 rows, and the scales as loaded", () => {
    expect(mxfp4Allocations(up, "triton", tile)).toEqual([(32 * 5760 * 2944) / 2, 32 * 5888 * 90, 32 * 5760 * 90]);
    expect(mxfp4Allocations(down, "triton", tile)).toEqual([(32 * 2880 * 2944) / 2, 32 * 3072 * 90, 32 * 2880 * 90]);
  });

  it("Triton: tensor parallel parts start from a multiple of 64", () => {
    const quarter = { ...down, width: 720 };
    expect(mxfp4Allocations(quarter, "triton", tile)).toEqual([(32 * 2880 * 768) / 2, 32 * 3072 * 24, 32 * 2880 * 24]);
  });

  it("Marlin: 256 × 128, TensorRT-LLM: 256 × 256, scales included and held once", () => {
    expect(mxfp4Allocations(down, "marlin", tile)).toEqual([(32 * 3072 * 2944) / 2, 32 * 3072 * 92]);
    expect(mxfp4Allocations(up, "tensorrt-llm", tile)).toEqual([(32 * 6144 * 3072) / 2, 32 * 6144 * 96]);
  });

  it("never holds less than the checkpoint, and exactly that where every multiple fits", () => {
    const size = fc.integer({ min: 1, max: 200 });
    fc.assert(
      fc.property(
        fc.constantFrom<ExpertKernel>("triton", "marlin", "tensorrt-llm"),
        fc.constantFrom<ExpertMatrix["direction"]>("up", "down"),
        size,
        size,
        fc.integer({ min: 1, max: 256 }),
        (kernel, direction, hidden, width, experts) => {
          const matrix = { experts, direction, hidden: 32 * hidden, width: 32 * width, fused: 1 };
          const plain = experts * matrix.hidden * matrix.width * (1 / 2 + 1 / 32);
          expect(sum(mxfp4Allocations(matrix, kernel, tile))).toBeGreaterThanOrEqual(plain);
          const whole = { ...matrix, hidden: 256 * hidden, width: 256 * width };
          const values = experts * whole.hidden * whole.width;
          const scalesHeld = kernel === "triton" ? 2 : 1;
          expect(sum(mxfp4Allocations(whole, kernel, tile))).toBe(values / 2 + (scalesHeld * values) / 32);
        },
      ),
    );
  });
});
