import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findShape, type MachineShape } from "../../catalog/shapes";
import { bootVolumeNeed } from "../../planner/boot-volume";
import { localDisksGiB, localDisksProblems } from "../../planner/local-disks";
import { bootVolumeProblems } from "../../stacks/boot-volumes";
import { okePool } from "../harness/oke-pools";
import { modelPlan } from "../harness/plans";

function shape(name: string): MachineShape {
  const found = findShape(name);
  if (found === undefined) {
    throw new Error(`no shape ${name}`);
  }
  return found;
}

const a10 = { name: "a10", role: "gpu" as const, shape: shape("BM.GPU.A10.4"), localDisks: false };
const model = (gpus: number, ephemeralStorageGiB: number, engine: "vllm" | "ollama" = "vllm") =>
  modelPlan({ engine, resources: { ...modelPlan().resources, gpus, ephemeralStorageGiB } });

describe("the boot volume of a node", () => {
  it("holds as many pods as its GPUs do, an image per engine, and the system, and keeps a part free", () => {
    // Four pods of 33 GiB, one image, the system: 202 of 0.85.
    expect(bootVolumeNeed(a10, [model(1, 33)])).toEqual({ podsGiB: 132, imagesGiB: 50, systemGiB: 20, totalGiB: 240 });
    expect(bootVolumeNeed(a10, [model(1, 33), model(4, 200, "ollama")])).toMatchObject({
      podsGiB: 200,
      imagesGiB: 100,
    });
  });

  it("counts neither other pools' models nor guests on another's server", () => {
    const elsewhere = { ...model(1, 500), pool: "other" };
    const guest = { ...model(1, 500), serverOf: "host" };
    expect(bootVolumeNeed(a10, [elsewhere, guest])).toMatchObject({ podsGiB: 0, imagesGiB: 0 });
  });

  it("has room for the platform's own pods on a system pool", () => {
    const system = { name: "system", role: "system" as const, shape: shape("VM.Standard.E5.Flex"), localDisks: false };
    expect(bootVolumeNeed(system, [])).toEqual({ podsGiB: 0, imagesGiB: 40, systemGiB: 20, totalGiB: 80 });
  });

  it("always holds what its pods may write, and never shrinks with one more model", () => {
    const models = fc.array(
      fc
        .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 10, max: 900 }))
        .map(([gpus, gib]) => model(gpus, gib)),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(models, (placed) => {
        const need = bootVolumeNeed(a10, placed);
        expect(need.totalGiB * 0.85).toBeGreaterThanOrEqual(need.podsGiB + need.imagesGiB + need.systemGiB);
        expect(need.totalGiB).toBeGreaterThanOrEqual(bootVolumeNeed(a10, placed.slice(1)).totalGiB);
      }),
    );
  });
});

describe("a boot volume of the environment", () => {
  const plan = { pools: [okePool("BM.GPU.A10.4", { name: "a10" }).plan], models: [model(1, 33)] };
  const told = (bootVolumeGiB: number | undefined) =>
    bootVolumeProblems({ a10: { minNodes: 1, maxNodes: 1, hoursPerDay: 24, bootVolumeGiB } as never }, plan);

  it("is refused where its pods' writes do not fit, with the number", () => {
    expect(told(150)).toMatchObject([
      {
        severity: "mandatory",
        subject: "pools.a10.bootVolumeGiB",
        message: expect.stringContaining("a node of this pool holds 240: 132 GiB"),
      },
    ]);
  });

  it("is advised on where images would crowd them, and else left alone", () => {
    expect(told(160)).toMatchObject([{ severity: "advisory" }]);
    expect([told(240), told(undefined)]).toEqual([[], []]);
  });
});

describe("local disks that pods' files are on", () => {
  const onDisks = { ...a10, localDisks: true };

  it("take pods' files off the boot volume, and nothing else", () => {
    expect(bootVolumeNeed(onDisks, [model(1, 33)])).toEqual({ podsGiB: 0, imagesGiB: 50, systemGiB: 20, totalGiB: 90 });
  });

  it("are refused where pods write more than they hold, of the pool that says so alone", () => {
    const there = localDisksGiB(a10);
    // Two disks of 3.84 TB.
    expect(there).toBe(5958);
    const full = model(4, there);
    expect(localDisksProblems([onDisks], [full])).toEqual([]);
    const over = { ...full, resources: { ...full.resources, ephemeralStorageGiB: there + 1 } };
    expect(localDisksProblems([a10], [over])).toEqual([]);
    expect(localDisksProblems([onDisks], [over])).toMatchObject([
      {
        severity: "mandatory",
        rule: "local-disks",
        subject: "pools.a10.localDisks",
        message: expect.stringContaining("may write 5959 GiB on a node, and the local disks of BM.GPU.A10.4 hold 5958"),
      },
    ]);
  });
});
