import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cards,
  findShape,
  gpuModels,
  hourlyUsd,
  type MachineShape,
  onPremNode,
  shapes,
  shapesOf,
  sizedFlex,
} from "../../catalog/shapes";

function shape(name: string): MachineShape {
  const found = findShape(name);
  if (found === undefined) {
    throw new Error(`${name} is missing`);
  }
  return found;
}

const flexible = shapes.filter(({ flex }) => flex !== undefined);

describe("GPU models", () => {
  it("report a little less than the vendor's figure, and engines see a little less again", () => {
    for (const gpu of gpuModels) {
      const reported = gpu.memoryGiB / gpu.memoryGB;
      const seen = gpu.engineMemoryGiB / gpu.memoryGiB;
      expect(reported, gpu.model).toBeGreaterThan(0.93);
      expect(reported, gpu.model).toBeLessThanOrEqual(1);
      // Cards of 8 GB keep as much back as those of 24.
      expect(seen, gpu.model).toBeGreaterThan(gpu.memoryGB > 10 ? 0.955 : 0.94);
      expect(seen, gpu.model).toBeLessThanOrEqual(1);
    }
  });

  it("are each a card for machines of one's own, or have a reason", () => {
    /** Why a GPU is no card. */
    const noCard: Readonly<Record<string, string>> = {};
    const used = new Set(cards.map(({ gpu }) => gpu));
    expect(gpuModels.map(({ model }) => model).filter((model) => !used.has(model))).toEqual(Object.keys(noCard));
    expect(cards.filter(({ gpu }) => !gpuModels.some(({ model }) => model === gpu))).toEqual([]);
  });
});

describe("shapes", () => {
  it("either have a price or say why not", () => {
    const unclear = shapes.filter(
      ({ price, noPriceReason }) => (price === undefined) === (noPriceReason === undefined),
    );
    expect(unclear.map(({ name }) => name)).toEqual([]);
  });

  it("have an RDMA rate exactly when they have RDMA, and EFA shapes their number of interfaces", () => {
    for (const { name, rdma } of shapes) {
      expect(rdma.gbps > 0, name).toBe(rdma.kind !== "none");
      expect(rdma.interfaces !== undefined, name).toBe(rdma.kind === "efa");
    }
  });

  it("count Kubernetes CPUs: two per OCPU on x86 and on AmpereOne, one on other Arm", () => {
    for (const { name, cpu } of shapesOf("oci")) {
      const each = cpu.arch === "arm64" && name !== "VM.Standard.A2.Flex" ? 1 : 2;
      expect({ name, vcpus: cpu.vcpus }).toEqual({ name, vcpus: (cpu.ocpus ?? 0) * each });
    }
  });

  it("never let pods have more memory than the host has", () => {
    const wrong = shapes.filter(
      ({ allocatableMemoryMiB, memoryGiB }) =>
        allocatableMemoryMiB !== undefined && allocatableMemoryMiB >= memoryGiB * 1024,
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ["BM.GPU.A10.4", 4, 24, 8],
    ["BM.GPU.H100.8", 8, 80, 80],
    ["BM.GPU.H200.8", 8, 141, 80],
    ["BM.GPU.MI300X.8", 8, 192, 48],
    ["VM.GPU.A10.1", 1, 24, 2],
    ["p5.48xlarge", 8, 80, 55.04],
    ["g6.xlarge", 1, 24, 0.8048],
  ])("%s has %d GPUs of %d GB at %d USD/h", (name, count, memoryGB, usdPerHour) => {
    expect(shape(name).gpu).toMatchObject({ count, memoryGB });
    expect(hourlyUsd(shape(name))).toBe(usdPerHour);
  });

  it("know the H100 as nvidia-smi, vLLM and Kubernetes see it", () => {
    expect(shape("BM.GPU.H100.8")).toMatchObject({
      provider: "oci",
      cpu: { arch: "amd64", vcpus: 224, ocpus: 112 },
      memoryGiB: 2048,
      localNvmeGB: 61440,
      rdma: { kind: "roce", gbps: 3200 },
      gpu: {
        memoryGiB: 79.65,
        engineMemoryGiB: 79.19,
        abilities: { computeCapability: 9, fp8: true },
        nvlink: true,
        resource: "nvidia.com/gpu",
      },
    });
  });

  it("turn AWS's GB into GiB", () => {
    expect(shape("g4dn.xlarge").memoryGiB).toBe(16);
    expect(shape("p5.48xlarge").memoryGiB).toBe(2048);
  });

  it("give a slice of a GPU its own memory and refuse it", () => {
    const { gpu, denied } = shape("g6f.large");
    expect(gpu).toMatchObject({ model: "NVIDIA L4", count: 1, memoryGB: 3, memoryGiB: 2.79, engineMemoryGiB: 2.79 });
    expect(denied).toContain("fractional");
  });

  it("refuse what is known not to work, with the reason", () => {
    expect(shape("BM.GPU4.8").denied).toContain("unusable on OKE");
    expect(shape("BM.GPU.H100.8").denied).toBeUndefined();
  });
});

describe("flexible shapes", () => {
  const a1 = shape("VM.Standard.A1.Flex");

  it("cost by OCPU and GB", () => {
    expect(hourlyUsd(a1, { ocpus: 4, memoryGB: 24 })).toBeCloseTo(4 * 0.01 + 24 * 0.0015, 12);
    expect(hourlyUsd(shape("VM.Standard.E5.Flex"), { ocpus: 1, memoryGB: 8 })).toBeCloseTo(0.046, 12);
  });

  it("become one machine when sized", () => {
    const sized = sizedFlex(shape("VM.Standard.E5.Flex"), { ocpus: 4, memoryGB: 64 });
    expect(sized).toMatchObject({ cpu: { ocpus: 4, vcpus: 8 }, memoryGiB: 64, networkGbps: 4 });
    expect(sized.flex).toBeUndefined();
  });

  it("ask for a size and name the limits", () => {
    expect(() => hourlyUsd(a1)).toThrow("VM.Standard.A1.Flex is a flexible shape: give ocpus and memoryGB");
    expect(() => sizedFlex(a1, { ocpus: 80, memoryGB: 80 })).toThrow("ocpus: 80 given, 1 to 76 allowed");
    expect(() => sizedFlex(a1, { ocpus: 1, memoryGB: 65 })).toThrow("memoryGB with 1 OCPUs: 65 given, 1 to 64 allowed");
    expect(() => sizedFlex(a1, { ocpus: Number.NaN, memoryGB: 6 })).toThrow(RangeError);
  });

  it("stay within their own limits at any size, and cost the same sized or not", () => {
    const sizes = fc.record({ ocpus: fc.integer({ min: -2, max: 200 }), memoryGB: fc.integer({ min: -2, max: 2000 }) });
    fc.assert(
      fc.property(fc.constantFrom(...flexible), sizes, (flexShape, size) => {
        const sized = attempt(() => sizedFlex(flexShape, size));
        if (sized === undefined) {
          return;
        }
        expect(sized.cpu.vcpus).toBeLessThanOrEqual(flexShape.cpu.vcpus);
        expect(sized.memoryGiB).toBeLessThanOrEqual(flexShape.memoryGiB);
        expect(sized.networkGbps ?? 0).toBeLessThanOrEqual(flexShape.networkGbps ?? 0);
        expect(hourlyUsd(sized)).toBe(hourlyUsd(flexShape, size));
      }),
    );
  });
});

describe("onPremNode", () => {
  const host = { vcpus: 32, memoryGiB: 128, localNvmeGB: 2000, networkGbps: 10 };

  it("puts cards into a host", () => {
    expect(onPremNode({ card: "rx-7900-xtx", gpuCount: 2, ...host })).toMatchObject({
      provider: "onprem",
      name: "2x-rx-7900-xtx",
      gpu: { vendor: "amd", count: 2, memoryGB: 24, memoryGiB: 23.98, resource: "amd.com/gpu" },
      cpu: { arch: "amd64", vcpus: 32 },
      memoryGiB: 128,
      localNvmeGB: 2000,
      networkGbps: 10,
    });
  });

  it("takes any other card with its memory, and another memory of a known one", () => {
    const unknown = onPremNode({ card: "v100-32gb", gpuCount: 2, gpuMemoryGiB: 32, ...host });
    expect(unknown).toMatchObject({
      name: "2x-v100-32gb",
      gpu: { model: "v100-32gb", vendor: "nvidia", count: 2, memoryGiB: 32, resource: "nvidia.com/gpu" },
    });
    expect(unknown.gpu).not.toHaveProperty("abilities");
    expect(unknown.gpu?.engineMemoryGiB).toBeLessThan(31);
    const amd = onPremNode({ gpuCount: 1, gpuMemoryGiB: 20, gpuVendor: "amd", ...host });
    expect(amd.gpu).toMatchObject({ vendor: "amd", resource: "amd.com/gpu" });
    const modded = onPremNode({ card: "rtx-2080-ti", gpuCount: 1, gpuMemoryGiB: 22, ...host });
    expect(modded.gpu).toMatchObject({ memoryGiB: 22, abilities: { computeCapability: 7.5 } });
    expect(() => onPremNode({ gpuCount: 0, gpuMemoryGiB: 22, ...host })).toThrow(RangeError);
  });

  it("has no list price", () => {
    expect(hourlyUsd(onPremNode({ card: "rtx-4090", gpuCount: 1, ...host }))).toBeUndefined();
  });

  it("can be without GPU", () => {
    expect(onPremNode({ gpuCount: 0, ...host }).gpu).toBeUndefined();
  });

  it("refuses unknown cards with the nearest known one, and counts that do not fit", () => {
    expect(() => onPremNode({ card: "rtx4090", gpuCount: 1, ...host })).toThrow('did you mean "rtx-4090"?');
    expect(() => onPremNode({ card: "rtx-4090", gpuCount: 0, ...host })).toThrow(RangeError);
    expect(() => onPremNode({ gpuCount: 1, ...host })).toThrow(RangeError);
    expect(() => onPremNode({ card: "rtx-4090", gpuCount: 1.5, ...host })).toThrow(RangeError);
  });
});

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    return undefined;
  }
}
