/** Disks of machines of one's own: pods, images and volumes are on the same one. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { onPremNode } from "../../catalog/shapes";
import { type NodeVolumes, ownDiskProblems } from "../../planner/own-disks";

const machine = (localNvmeGB: number, gpuCount = 8) => ({
  name: "gpu",
  role: "gpu" as const,
  localDisks: false,
  shape: onPremNode({ card: "rtx-a6000", gpuCount, vcpus: 64, memoryGiB: 512, localNvmeGB, networkGbps: 10 }),
});
const model = (gpus: number, ephemeralStorageGiB: number, changes: object = {}) => ({
  name: "chat",
  pool: "gpu",
  engine: "vllm" as const,
  modelStorageGiB: 204,
  resources: { gpus, cpu: 8, memoryGiB: 64, ephemeralStorageGiB, sharedMemoryGiB: 1 },
  ...changes,
});
const folders: NodeVolumes = { storeGiB: 204, volumes: [{ name: "metrics", sizeGiB: 50, count: 1 }], spareModelGiB: 0 };

describe("the disk of a machine of one's own", () => {
  it("holds what pods write, images, the store and the platform's volumes, and is refused with its own key", () => {
    // 428 of pods on a disk of 577 GiB: enough for these alone.
    const problems = ownDiskProblems([machine(620)], [model(8, 428)], folders);
    expect(problems).toMatchObject([
      { severity: "mandatory", rule: "local-disks", subject: "pools.gpu.node.localNvmeGB" },
    ]);
    const [{ message } = { message: "" }] = problems;
    expect(message).toContain("772 GiB");
    expect(message).toMatch(/428 of files of pods.*90 of images.*204 of the model store.*50 of other volumes/);
    expect(message).not.toContain("localDisks");
    const least = Number(/a disk of (\d+) GB/.exec(message)?.[1]);
    expect(ownDiskProblems([machine(least)], [model(8, 428)], folders)).toEqual([]);
    expect(ownDiskProblems([machine(least - 20)], [model(8, 428)], folders)).toHaveLength(1);
  });

  it("is judged without volumes where nobody says that they are on it", () => {
    expect(ownDiskProblems([machine(100)], [model(8, 428)], undefined)).toHaveLength(1);
    expect(ownDiskProblems([machine(800)], [model(8, 428)], undefined)).toEqual([]);
  });

  it("has the platform's volumes on the pool of the platform, where there is one", () => {
    const system = {
      ...machine(300),
      name: "system",
      role: "system" as const,
      shape: onPremNode({ gpuCount: 0, vcpus: 16, memoryGiB: 64, localNvmeGB: 300, networkGbps: 10 }),
    };
    const subjects = ownDiskProblems([system, machine(620)], [model(8, 428)], folders).map(({ subject }) => subject);
    expect(subjects).toEqual(["pools.system.node.localNvmeGB"]);
  });

  it("has the models of engines that pull them themselves, one volume for each replica that fits", () => {
    const ollama = model(2, 5, { engine: "ollama", modelStorageGiB: 100 });
    const [problem] = ownDiskProblems([machine(500)], [ollama], { ...folders, storeGiB: 0, volumes: [] });
    expect(problem?.message).toContain("400 of models of engines that keep their own");
  });

  it("is not judged where nobody says how large it is, nor are machines of clouds", () => {
    expect(ownDiskProblems([machine(0)], [model(8, 428)], folders)).toEqual([]);
  });

  it("is never too small at the size that the refusal names", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(3000), fc.nat(2000), (gpus, files, storeGiB) => {
        const models = [model(gpus, files)];
        const volumes = { ...folders, storeGiB };
        const [problem] = ownDiskProblems([machine(1)], models, volumes);
        const least = Number(/a disk of (\d+) GB/.exec(problem?.message ?? "")?.[1]);
        expect(ownDiskProblems([machine(least)], models, volumes)).toEqual([]);
      }),
    );
  });
});
