import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GpuSharing } from "../../catalog/gpu-sharing";
import { migGpuModels, migLayout, migProfilesOf } from "../../catalog/mig-profiles";
import { cardCount, hourlyUsd, type MachineShape, shapes } from "../../catalog/shapes";
import { engineOf, engineVersion } from "../../engines";
import { planDeployment } from "../../planner/plan";
import { allocatable } from "../../planner/pod-resources";
import type { ModelRequest } from "../../planner/request";
import { canBeParted, gpusText, isSharingLabel, mostPerPod, parted, sharingLabels } from "../../planner/slices";
import { taintsOf } from "../../planner/taints";
import { environmentOf, gpuOf, modelOf, poolOf, shapeNamed } from "./fixtures";

const H100 = shapeNamed("BM.GPU.H100.8");
const A10 = shapeNamed("VM.GPU.A10.1");
const SLICES: GpuSharing = { mig: "all-1g.10gb" };

const machine = fc.constantFrom(...shapes.filter(({ gpu, denied }) => gpu?.vendor === "nvidia" && !denied));
const sharing: fc.Arbitrary<GpuSharing> = fc.oneof(
  fc.constantFrom(
    ...migGpuModels.flatMap((model) => migProfilesOf(model).map((profile) => ({ mig: migLayout(profile) }))),
  ),
  fc.record({ timeSlicing: fc.record({ replicas: fc.integer({ min: 2, max: 48 }) }) }),
);

describe("parts of GPUs", () => {
  it("leave a machine as it is where none are asked for", () => {
    expect(parted(H100, undefined)).toBe(H100);
  });

  it("are slices with memory of their own", () => {
    expect(gpuOf(parted(H100, SLICES))).toMatchObject({
      model: "NVIDIA H100 80GB SXM",
      count: 56,
      memoryGiB: 9.75,
      engineMemoryGiB: 9.75,
      resource: "nvidia.com/mig-1g.10gb",
      nvlink: false,
      slice: { kind: "mig", profile: "1g.10gb", perGpu: 7, cards: 8 },
    });
  });

  it("or turns, each with an equal share of what a process sees of the card", () => {
    const card = gpuOf(A10);
    expect(gpuOf(parted(A10, { timeSlicing: { replicas: 4 } }))).toMatchObject({
      count: 4,
      engineMemoryGiB: card.engineMemoryGiB / 4,
      resource: "nvidia.com/gpu.shared",
      slice: { kind: "time-slices", perGpu: 4, cards: 1 },
    });
  });

  it("are refused where the cards cannot be parted so", () => {
    expect(() => parted(A10, SLICES)).toThrow("NVIDIA A10 has no MIG layout all-1g.10gb");
    expect(() => parted(shapeNamed("VM.Standard.A1.Flex"), SLICES)).toThrow("has no GPU");
  });

  it("never have more memory together than their cards, and nothing else of the machine changes", () => {
    let seen = 0;
    fc.assert(
      fc.property(machine, sharing, (shape, asked) => {
        fc.pre(canBeParted(shape, asked));
        seen += 1;
        const whole = gpuOf(shape);
        const made = parted(shape, asked);
        const gpu = gpuOf(made);
        expect(gpu.count * gpu.memoryGiB).toBeLessThanOrEqual(whole.count * whole.memoryGiB + 1e-9);
        expect(gpu.count).toBe(whole.count * (gpu.slice?.perGpu ?? 0));
        expect(cardCount(gpu)).toBe(whole.count);
        expect(mostPerPod(gpu)).toBe(1);
        expect(gpu.resource).not.toBe(whole.resource);
        expect(hourlyUsd(made)).toBe(hourlyUsd(shape));
        expect(taintsOf(made)).toEqual(taintsOf(shape));
        expect({ ...made, gpu: whole }).toEqual(shape);
      }),
      { numRuns: 300 },
    );
    expect(seen).toBeGreaterThan(50);
  });

  it("are said as people say it", () => {
    expect(gpusText(gpuOf(H100))).toBe("8 × NVIDIA H100 80GB SXM");
    expect(gpusText(gpuOf(parted(H100, SLICES)))).toBe("8 × NVIDIA H100 80GB SXM in 7 1g.10gb slices each");
    expect(gpusText(gpuOf(parted(A10, { timeSlicing: { replicas: 2 } })))).toBe("1 × NVIDIA A10 in 2 turns");
  });

  it("are what labels of nodes ask for", () => {
    expect(sharingLabels(SLICES)).toEqual({ "nvidia.com/mig.config": "all-1g.10gb" });
    expect(sharingLabels({ timeSlicing: { replicas: 4 } })).toEqual({
      "nvidia.com/device-plugin.config": "time-slices-4",
    });
    expect(sharingLabels(undefined)).toEqual({});
    for (const asked of [SLICES, { timeSlicing: { replicas: 4 } }]) {
      expect(Object.keys(sharingLabels(asked)).every(isSharingLabel)).toBe(true);
    }
  });
});

describe("a plan on parts of GPUs", () => {
  const small = (index: number) =>
    modelOf("llama-3.2-1b-instruct", { name: `small-${index}`, contextTokens: 4096, concurrency: 2 });
  const slicesOf = (shape: MachineShape, asked: GpuSharing, maxNodes = 1) =>
    poolOf(shape.name, maxNodes, { name: "gpu", shape: parted(shape, asked), sharing: asked, wholeShape: shape });
  const planOf = (count: number, asked: GpuSharing = SLICES, shape = H100) =>
    planDeployment(
      environmentOf(
        [slicesOf(shape, asked)],
        Array.from({ length: count }, (_, i) => small(i)),
      ),
    );

  it("gives each pod one slice, a seventh of a card's price, and whole CPUs", () => {
    const { models, pools, problems } = planOf(7);
    const pool = pools.find(({ name }) => name === "gpu");
    expect(problems).toEqual([]);
    for (const model of models) {
      expect(model).toMatchObject({ gpusPerNode: 1, tensorParallel: 1, gpuSlice: { profile: "1g.10gb" } });
      expect(model.resources.gpuResource).toBe("nvidia.com/mig-1g.10gb");
      expect(Number.isInteger(model.resources.cpu)).toBe(true);
      expect(model.monthlyUsd).toBeCloseTo((pool?.monthlyUsd ?? 0) / 7);
      expect(model.memoryPerGpu.limitGiB).toBeLessThanOrEqual(9.75);
      expect(model.notes.join("\n")).toContain("1g.10gb slice of 9.75 GiB");
    }
    expect(pool).toMatchObject({ gpusClaimed: 7, gpusTotal: 56 });
  });

  it("holds as many pods as there are slices, with CPU and memory for each", () => {
    const full = planOf(56);
    expect(full.problems).toEqual([]);
    const room = allocatable(parted(H100, SLICES), { gpus: 0, cpu: 0, memoryGiB: 0 });
    expect(full.models.reduce((sum, { resources }) => sum + resources.cpu, 0)).toBeLessThanOrEqual(room.cpu);
    expect(full.models.reduce((sum, { resources }) => sum + resources.memoryGiB, 0)).toBeLessThanOrEqual(
      room.memoryGiB,
    );
    expect(planOf(57).problems.map(({ rule }) => rule)).toEqual(["pool-capacity"]);
  });

  it("names the slice's GiB for a model that is too large, and slices that would hold it", () => {
    const { problems } = planDeployment(
      environmentOf([slicesOf(H100, SLICES)], [modelOf("llama-3.1-8b-instruct", { name: "large" })]),
    );
    expect(problems.map(({ rule }) => rule)).toEqual(["model-fits"]);
    expect(problems[0]?.message).toContain("1g.10gb slice of 9.75 GiB");
    expect(problems[0]?.message).toContain("a pod gets one slice");
    const [mig] = /all-\S+/.exec(problems[0]?.remedies?.join() ?? "") ?? [];
    expect(mig).toBeDefined();
    const larger = slicesOf(H100, { mig: mig ?? "" });
    expect(
      planDeployment(environmentOf([larger], [modelOf("llama-3.1-8b-instruct", { name: "large" })])).problems,
    ).toEqual([]);
  });

  it("names no slices to a model that no slice holds", () => {
    const { problems } = planDeployment(
      environmentOf([slicesOf(H100, SLICES)], [modelOf("llama-3.3-70b-instruct", { name: "huge" })]),
    );
    expect(problems[0]?.remedies?.join()).toContain("whose GPUs are whole");
    expect(problems[0]?.remedies?.join()).not.toContain("larger slices");
  });

  it("refuses tensor parallelism over slices with the reason", () => {
    const { problems } = planDeployment(environmentOf([slicesOf(H100, SLICES)], [{ ...small(0), tensorParallel: 2 }]));
    expect(problems[0]?.message).toContain("slices do not reach each other's memory");
    expect(problems[0]?.remedies?.join()).toContain("tensorParallel: 1");
  });

  describe("in turns", () => {
    const turns = { timeSlicing: { replicas: 2 } };
    const onTurns = (...models: ModelRequest[]) => planDeployment(environmentOf([slicesOf(A10, turns)], models));

    it.each(["ray", "tgi", "triton"] as const)("refuses %s, and names the engines that can", (engine) => {
      const { problems } = onTurns({ ...small(0), engine, engineVersion: engineVersion(engine) });
      expect(problems.map(({ rule }) => rule)).toEqual(["model-fits"]);
      expect(problems[0]?.message).toContain(engineOf(engine).noTimeSlicing);
      expect(problems[0]?.remedies?.join()).toMatch(/whose GPUs are whole.*engine: vllm or ollama/);
    });

    it("refuses a release of vLLM that cannot be told its cache", () => {
      const { problems } = onTurns({ ...small(0), engineVersion: "0.10.1.1" });
      expect(problems.map(({ rule }) => rule)).toEqual(["model-fits"]);
      expect(problems[0]?.message).toContain("0.10.2");
      expect(onTurns({ ...small(0), engineVersion: "0.10.2" }).problems).toEqual([]);
    });

    it("gives vLLM and Ollama a turn each, under the name that no whole GPU has", () => {
      const onOllama = { ...small(1), engine: "ollama" as const, engineVersion: "0.32.15", quantization: "Q8_0" };
      const { problems, models } = onTurns(small(0), onOllama);
      expect(problems).toEqual([]);
      expect(models.map(({ resources }) => resources.gpuResource)).toEqual(Array(2).fill("nvidia.com/gpu.shared"));
      for (const { notes, noSpeed } of models) {
        expect(notes.join("\n")).toContain("shares an NVIDIA A10 in 2 turns");
        expect(noSpeed).toContain("a part of NVIDIA A10");
      }
    });
  });
});
