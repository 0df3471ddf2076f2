import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { onPremNode, shapes, sizedFlex } from "../../catalog/shapes";
import { engineNames, engineOf } from "../../engines";
import { holds, NodePacking } from "../../planner/packing";
import {
  allocatable,
  cpuPodResources,
  gpuPodResources,
  hostMemoryFloorGiB,
  PLATFORM_RESERVE,
} from "../../planner/pod-resources";
import type { PodResources } from "../../planner/types";
import { atNight } from "../harness/property-runs";
import { shapeNamed } from "./fixtures";

const storage = { ephemeralStorageGiB: 10, sidecar: engineOf("vllm").sidecar };
const nothing = { gpus: 0, cpu: 0, memoryGiB: 0 };
const gpuShapes = shapes.filter((shape) => shape.gpu);
const gpuShape = fc.constantFrom(...gpuShapes);
const reserve = fc.constantFrom(nothing, PLATFORM_RESERVE);

describe("allocatable", () => {
  it("is less than the machine, never negative, and smaller with a reserve", () => {
    for (const shape of shapes) {
      const whole = allocatable(shape, nothing);
      const shared = allocatable(shape, PLATFORM_RESERVE);
      expect(whole.gpus).toBe(shape.gpu?.count ?? 0);
      expect(whole.cpu).toBeLessThan(shape.cpu.vcpus);
      expect(whole.memoryGiB).toBeLessThan(shape.memoryGiB);
      expect(Math.min(shared.cpu, shared.memoryGiB)).toBeGreaterThanOrEqual(0);
      expect(shared.cpu).toBeLessThanOrEqual(whole.cpu);
      expect(shared.memoryGiB).toBeLessThanOrEqual(whole.memoryGiB);
    }
  });

  it("stays below what Kubernetes hands to pods on EC2, where that was measured", () => {
    const measured = shapes.flatMap((shape) =>
      shape.allocatableMemoryMiB === undefined ? [] : [{ shape, memoryGiB: shape.allocatableMemoryMiB / 1024 }],
    );
    expect(measured.length).toBeGreaterThan(0);
    for (const { shape, memoryGiB } of measured) {
      expect({ shape: shape.name, fits: allocatable(shape, nothing).memoryGiB <= memoryGiB }).toEqual({
        shape: shape.name,
        fits: true,
      });
    }
  });
});

describe("gpuPodResources", () => {
  it("lets any division of a node's GPUs into pods fit that node", () => {
    const division = fc.array(fc.constantFrom(1, 2, 3, 4, 8), { minLength: 1, maxLength: 16 });
    fc.assert(
      fc.property(gpuShape, division, (shape, sizes) => {
        const node = allocatable(shape, nothing);
        let left = node.gpus;
        let packing = NodePacking.empty(node);
        for (const gpus of sizes.filter((size) => size <= node.gpus)) {
          if (gpus <= left) {
            left -= gpus;
            packing = packing.with({
              demand: gpuPodResources(shape, node, gpus, storage),
              count: 1,
              nodesPerReplica: 1,
            });
          }
        }
        expect(packing.nodes).toBeLessThanOrEqual(1);
      }),
      { numRuns: atNight(300) },
    );
  });

  it("asks for no more memory than its part of the node and than twice its GPUs' beside /dev/shm", () => {
    fc.assert(
      fc.property(gpuShape, reserve, fc.integer({ min: 1, max: 8 }), (shape, kept, wanted) => {
        const node = allocatable(shape, kept);
        const gpus = Math.min(wanted, node.gpus);
        const pod = gpuPodResources(shape, node, gpus, storage);
        const twice = 2 * gpus * (shape.gpu?.memoryGiB ?? 0);
        expect(pod.memoryGiB).toBeLessThanOrEqual((node.memoryGiB * gpus) / node.gpus);
        expect(pod.memoryGiB).toBeLessThanOrEqual(Math.max(twice, hostMemoryFloorGiB(gpus)) + pod.sharedMemoryGiB);
        expect(pod).toMatchObject({ gpus, gpuResource: shape.gpu?.resource, ephemeralStorageGiB: 10 });
      }),
    );
  });

  it("gives the engine whole CPUs, at least one and less than one below its part of the node", () => {
    const sidecars = fc.constantFrom(...engineNames.map((name) => engineOf(name).sidecar));
    fc.assert(
      fc.property(gpuShape, reserve, sidecars, fc.integer({ min: 1, max: 8 }), (shape, kept, sidecar, wanted) => {
        const node = allocatable(shape, kept);
        const gpus = Math.min(wanted, node.gpus);
        const share = (node.cpu * gpus) / node.gpus;
        const pod = gpuPodResources(shape, node, gpus, { ...storage, sidecar });
        const engine = pod.cpu - sidecar.cpu;
        expect(Number.isInteger(engine)).toBe(true);
        expect(engine).toBeGreaterThanOrEqual(1);
        expect(pod.cpu).toBeGreaterThan(share - 1);
        expect(pod.cpu).toBeLessThanOrEqual(Math.max(share, 1 + sidecar.cpu));
      }),
    );
  });

  it("takes one CPU where its part of the node is less, and no more than the node has elsewhere", () => {
    const card = {
      card: "rtx-4090",
      gpuCount: 4,
      memoryGiB: 256,
      localNvmeGB: 0,
      networkGbps: 10,
      cpuArch: "amd64",
    } as const;
    const cpusOf = (vcpus: number) => {
      const shape = onPremNode({ ...card, vcpus });
      const node = allocatable(shape, PLATFORM_RESERVE);
      const pod = gpuPodResources(shape, node, 1, storage);
      return { pod: pod.cpu, fits: holds(node, pod) };
    };
    expect(cpusOf(64)).toEqual({ pod: 14, fits: true });
    expect(cpusOf(6)).toEqual({ pod: 1, fits: true });
    expect(cpusOf(3)).toEqual({ pod: 1, fits: false });
  });

  it.each([
    [1, 1],
    [2, 8],
    [8, 32],
    [10, 32],
    [16, 32],
  ])("gives the workers of %i GPUs %i GiB of /dev/shm", (gpus, sharedMemoryGiB) => {
    const shape = onPremNode({
      card: "rtx-4090",
      gpuCount: 16,
      vcpus: 128,
      memoryGiB: 1024,
      localNvmeGB: 0,
      networkGbps: 10,
    });
    const pod = gpuPodResources(shape, allocatable(shape, nothing), gpus, storage);
    expect(pod.sharedMemoryGiB).toBe(sharedMemoryGiB);
  });

  it("refuses a shape without GPU", () => {
    const shape = shapeNamed("m7i.large");
    expect(() => gpuPodResources(shape, allocatable(shape, nothing), 1, storage)).toThrow("m7i.large has no GPU");
  });
});

describe("a sidecar", () => {
  const sidecar = engineOf("ollama").sidecar;
  const engine = ({ cpu, memoryGiB }: PodResources) => ({
    cpu: cpu - sidecar.cpu,
    memoryGiB: memoryGiB - sidecar.memoryGiB,
  });
  const withSidecar = { ...storage, sidecar };

  it("is part of a CPU pod: the engine has all that its model needs, and whole half cores", () => {
    const shape = shapeNamed("m7i.2xlarge");
    const pod = cpuPodResources(allocatable(shape, nothing), 6, { ...withSidecar, sharedMemoryGiB: 0 });
    expect(engine(pod)).toEqual({ cpu: 3, memoryGiB: 6 });
  });

  it("is part of a GPU pod's share of the node", () => {
    fc.assert(
      fc.property(gpuShape, (shape) => {
        const node = allocatable(shape, nothing);
        const pod = gpuPodResources(shape, node, 1, withSidecar);
        expect(pod.cpu).toBeLessThanOrEqual(node.cpu / node.gpus);
        expect(engine(pod).cpu % 1).toBe(0);
        expect(pod.memoryGiB).toBeLessThanOrEqual(node.memoryGiB / node.gpus);
      }),
    );
  });
});

describe("cpuPodResources", () => {
  it("lets two models share a node's CPUs, with the memory that each needs", () => {
    const size = fc.record({
      ocpus: fc.integer({ min: 2, max: 76 }),
      memoryGiB: fc.double({ min: 1, max: 100, noNaN: true }),
    });
    fc.assert(
      fc.property(size, reserve, fc.constantFrom(0, 1), ({ ocpus, memoryGiB }, kept, shared) => {
        const shape = sizedFlex(shapeNamed("VM.Standard.A1.Flex"), { ocpus, memoryGB: ocpus * 6 });
        const node = allocatable(shape, kept);
        const pod = cpuPodResources(node, memoryGiB, { ...storage, sharedMemoryGiB: shared });
        expect(pod.memoryGiB).toBeGreaterThanOrEqual(memoryGiB + shared);
        expect(pod.memoryGiB).toBeLessThan(memoryGiB + shared + 0.25);
        expect(2 * pod.cpu).toBeLessThanOrEqual(Math.max(1, node.cpu));
        expect(pod).toMatchObject({ gpus: 0, sharedMemoryGiB: shared });
      }),
    );
  });
});
