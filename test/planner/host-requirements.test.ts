import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nvidiaDriverOf } from "../../catalog/cuda-drivers";
import { imageEntry } from "../../catalog/images";
import { cards, onPremNode } from "../../catalog/shapes";
import { type HostGpus, hostRequirements, isPlannedCard } from "../../planner/host-requirements";
import { planDeployment } from "../../planner/plan";
import { parted } from "../../planner/slices";
import { atNight } from "../harness/property-runs";
import { environmentOf, modelOf, poolOf } from "./fixtures";

function machine(card: string, gpuCount = 2) {
  return onPremNode({ card, gpuCount, vcpus: 32, memoryGiB: 128, localNvmeGB: 2000, networkGbps: 10 });
}

function onOwn(card: string, gpuCount = 2) {
  return poolOf("VM.GPU.A10.1", 1, { name: "own", shape: machine(card, gpuCount), minNodes: 1 });
}

/** Of a plan with one pool of its own beside the system's. */
function required(...args: Parameters<typeof environmentOf>) {
  return hostRequirements(planDeployment(environmentOf(...args))).find(({ pool }) => pool === "own");
}

function gpusOf(card: string): HostGpus {
  const found = required([onOwn(card)], [])?.gpus;
  if (found === undefined) {
    throw new Error(`${card} has no GPU`);
  }
  return found;
}

describe("hostRequirements", () => {
  it("names cards as nvidia-smi does, and the driver that the images of the plan need", () => {
    expect(required([onOwn("rtx-4090")], [modelOf("qwen3-8b", { concurrency: 2 })])).toEqual({
      pool: "own",
      arch: "amd64",
      vcpus: 32,
      memoryGiB: 128,
      diskGB: 2000,
      gpus: {
        vendor: "nvidia",
        model: "NVIDIA GeForce RTX 4090",
        names: ["NVIDIA GeForce RTX 4090"],
        count: 2,
        memoryGiB: 23.99,
        minimumDriver: { version: "580", because: "CUDA 13 in docker.io/vllm/vllm-openai:v0.33.0" },
      },
    });
  });

  it("names a card of AMD by its target, in both forms", () => {
    expect(required([onOwn("radeon-pro-w7900")], [modelOf("qwen3-8b", { concurrency: 2 })])?.gpus).toEqual({
      vendor: "amd",
      model: "AMD Radeon PRO W7900",
      names: [],
      gfx: { target: "gfx1100", version: 110_000 },
      count: 2,
      memoryGiB: 44.98,
      minimumDriver: { version: "6.4", because: "ROCm 7.2 in docker.io/vllm/vllm-openai-rocm:v0.33.0-rocm72" },
    });
  });

  it("takes the driver that an image's maintainers state, of old cards a newer one", () => {
    const ollama = imageEntry("ollama");
    expect([undefined, 8.9, 7, 6.2, 5].map((capability) => nvidiaDriverOf(ollama, capability)?.least)).toEqual([
      550, 550, 550, 570, 570,
    ]);
    const model = modelOf("qwen3-8b", {
      engine: "ollama",
      engineVersion: "0.32.15",
      concurrency: 1,
      quantization: "Q4_K_M",
      source: { kind: "ollama", tag: "qwen3:8b" },
    });
    expect(required([onOwn("rtx-4090")], [model])?.gpus?.minimumDriver).toEqual({
      version: "550",
      because: "the CUDA libraries in docker.io/ollama/ollama:0.32.15",
    });
  });

  it("asks for no driver where nobody read what a version needs, or no model is there", () => {
    const older = modelOf("qwen3-8b", { concurrency: 2, engineVersion: "0.30.0" });
    expect(required([onOwn("rtx-4090")], [older])?.gpus).not.toHaveProperty("minimumDriver");
    expect(required([onOwn("rtx-4090")], [])?.gpus).not.toHaveProperty("minimumDriver");
  });

  it("counts cards, not the turns that pods take on them", () => {
    const shape = parted(machine("rtx-4090", 1), { timeSlicing: { replicas: 4 } });
    const pool = poolOf("VM.GPU.A10.1", 1, { name: "own", shape, minNodes: 1 });
    expect(required([pool], [])?.gpus).toMatchObject({ count: 1, memoryGiB: 23.99 });
  });

  it("asks for no GPU where the plan has none", () => {
    const shape = onPremNode({ gpuCount: 0, vcpus: 8, memoryGiB: 32, localNvmeGB: 100, networkGbps: 1 });
    expect(required([poolOf("VM.GPU.A10.1", 1, { name: "own", role: "cpu", shape, minNodes: 1 })], [])).toEqual({
      pool: "own",
      arch: "amd64",
      vcpus: 8,
      memoryGiB: 32,
      diskGB: 100,
    });
  });
});

describe("isPlannedCard", () => {
  it("takes every name that the card has, in any case, with the memory that its driver reports", () => {
    for (const card of cards) {
      const gpus = gpusOf(card.name);
      for (const name of gpus.names) {
        expect(isPlannedCard(gpus, { name: ` ${name.toUpperCase()} `, memoryMiB: gpus.memoryGiB * 1024 }), name).toBe(
          true,
        );
      }
    }
  });

  it("tells cards of another size, name or target apart", () => {
    expect(isPlannedCard(gpusOf("rtx-4090"), { name: "NVIDIA GeForce RTX 4090 Laptop GPU" })).toBe(false);
    expect(isPlannedCard(gpusOf("a100-80gb-pcie"), { name: "NVIDIA A100 80GB PCIe", memoryMiB: 40_960 })).toBe(false);
    expect(isPlannedCard(gpusOf("rx-7900-xtx"), { gfxVersion: 100_300 })).toBe(false);
    // One target, another card: memory decides.
    expect(isPlannedCard(gpusOf("radeon-pro-w7900"), { gfxVersion: 110_000, memoryMiB: 24_560 })).toBe(false);
  });

  it("is not misled by rounding of less than a hundredth", () => {
    fc.assert(
      fc.property(fc.constantFrom(...cards), fc.double({ min: -0.01, max: 0.01, noNaN: true }), ({ name }, off) => {
        const gpus = gpusOf(name);
        expect(isPlannedCard(gpus, { memoryMiB: gpus.memoryGiB * 1024 * (1 + off) })).toBe(true);
      }),
      { numRuns: atNight(50) },
    );
  });
});
