import fc from "fast-check";
import { ownConstants } from "../../../planner/speed/constants";
import type { CardFamily, ReplicaSetup, RequestShape } from "../../../planner/speed/types";
import type { ModelWork } from "../../../planner/speed/work";

/** Models of any size, dense or of experts, in 16 or 8 bits. */
export function works(): fc.Arbitrary<ModelWork> {
  return fc
    .record({
      layers: fc.integer({ min: 8, max: 120 }),
      hiddenSize: fc.constantFrom(1024, 4096, 8192),
      bits: fc.constantFrom(16 as const, 8 as const),
      experts: fc.option(fc.record({ count: fc.constantFrom(8, 64, 256), perToken: fc.integer({ min: 1, max: 8 }) })),
      kvBytes: fc.integer({ min: 1_000, max: 500_000 }),
    })
    .map(({ layers, hiddenSize, bits, experts, kvBytes }) => {
      const matrices = (parameters: number) => ({
        parameters,
        bytes: (parameters * bits) / 8,
        computeBits: bits,
        unpacked: false,
      });
      const perLayer = 12 * hiddenSize * hiddenSize;
      return {
        layers,
        moeLayers: experts === null ? 0 : layers,
        indexedLayers: 0,
        launches: 12 * layers,
        hiddenSize,
        dense: matrices(perLayer * layers),
        mixerShare: 0.3,
        ...(experts !== null && { experts: { ...matrices(2 * perLayer * layers * experts.count), ...experts } }),
        head: matrices(hiddenSize * 128_000),
        caches: [
          {
            bytesPerToken: kvBytes,
            operationsPerToken: 4 * hiddenSize * layers,
            promptOperationsPerToken: 4 * hiddenSize * layers,
          },
        ],
        stateBytes: 0,
      };
    });
}

const FAMILIES: readonly CardFamily[] = ["ampere-dc", "ada", "hopper", "blackwell-dc", "cdna"];

export function setups(): fc.Arbitrary<ReplicaSetup> {
  return fc
    .record({
      work: works(),
      family: fc.constantFrom(...FAMILIES),
      memoryGBs: fc.integer({ min: 300, max: 8000 }),
      dense16: fc.integer({ min: 60, max: 2500 }),
      tensorParallel: fc.constantFrom(1, 2, 4, 8),
      pipelineParallel: fc.constantFrom(1, 2),
      engine: fc.constantFrom("vllm", "sglang", "trtllm", "llama.cpp"),
      kvTokens: fc.integer({ min: 20_000, max: 2_000_000 }),
    })
    .map(({ family, memoryGBs, dense16, engine, ...setup }) => ({
      ...setup,
      card: { name: "any", family, memoryGBs, tflops: { dense16, dense8: 2 * dense16 } },
      link: { kind: "nvlink" as const, gbs: 300 },
      engine: { name: engine },
      coefficients: ownConstants.resolve({ family, engine: { name: engine }, link: "nvlink" }),
    }));
}

export function shapes(): fc.Arbitrary<RequestShape> {
  return fc.record({
    inputTokens: fc.integer({ min: 16, max: 8000 }),
    outputTokens: fc.integer({ min: 8, max: 2000 }),
    sharedPrefixTokens: fc.constantFrom(0, 8),
    lengthVariation: fc.constant(0.5),
  });
}
