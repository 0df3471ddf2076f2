import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeFilesGiB, podFilesGiB } from "../../planner/boot-volume";
import { nodeCacheProblems } from "../../planner/node-cache";
import type { ModelPlan } from "../../planner/types";
import { modelPlan } from "../harness/plans";
import { poolPlan, shape } from "../report/html.fixture";

/** Eight GPUs. */
const machine = shape("BM.GPU.H100.8");
const pool = (nodeCacheGiB: number) => poolPlan({ name: "gpu", shape: machine, nodeCacheGiB });
const cached = (name: string, gpus: number, gib: number, loading: ModelPlan["loading"] = "cache") => {
  const plan = modelPlan({ name, pool: "gpu", loading, weightsGB: (gib * 2 ** 30) / 1e9 });
  return { ...plan, resources: { ...plan.resources, gpus } };
};
const model = fc.record({ gpus: fc.constantFrom(1, 2, 4, 8), gib: fc.integer({ min: 1, max: 500 }) });
const fleet = fc
  .array(model, { minLength: 1, maxLength: 6 })
  .map((models) => models.map(({ gpus, gib }, i) => cached(`m${i}`, gpus, gib)));

/** Every set of models that fits on the node, by trying all. */
function mostGiB(models: readonly ReturnType<typeof cached>[]): number {
  const sets = Array.from({ length: 2 ** models.length }, (_, set) => models.filter((_, i) => (set >> i) % 2 === 1));
  const fitting = sets.filter((set) => set.reduce((sum, { resources }) => sum + resources.gpus, 0) <= 8);
  return Math.max(...fitting.map((set) => set.reduce((sum, { weightsGB }) => sum + (weightsGB * 1e9) / 2 ** 30, 0)));
}

describe("nodeCacheProblems", () => {
  it("asks for what one node may use at once and the largest model again, and takes the number that it names", () => {
    fc.assert(
      fc.property(fleet, (models) => {
        const [problem] = nodeCacheProblems([pool(0)], models);
        const named = Number(/Write storage\.nodeCacheGiB: (\d+) or more/.exec(problem?.message ?? "")?.[1]);
        const largest = Math.max(...models.map(({ weightsGB }) => (weightsGB * 1e9) / 2 ** 30));
        expect(named).toBeGreaterThanOrEqual(Math.round(mostGiB(models) + largest));
        expect(named).toBeLessThanOrEqual(mostGiB(models) + largest + models.length + 1);
        expect(problem).toMatchObject({ severity: "mandatory", rule: "node-cache", subject: "storage.nodeCacheGiB" });
        expect(nodeCacheProblems([pool(named)], models)).toEqual([]);
        expect(nodeCacheProblems([pool(named - 1)], models)).toHaveLength(1);
      }),
    );
  });

  it("counts a model once, however many of its replicas a node holds, and none that copies", () => {
    expect(nodeCacheProblems([pool(200)], [cached("small", 1, 100), cached("copied", 1, 400, "copy")])).toEqual([]);
    expect(nodeCacheProblems([pool(199)], [cached("small", 1, 100)])).toHaveLength(1);
  });

  it("has no question where there is no cache", () => {
    const { nodeCacheGiB: _, ...without } = pool(0);
    expect(nodeCacheProblems([without], [cached("small", 1, 100, "copy")])).toEqual([]);
  });
});

describe("the files on a node", () => {
  it("are those of pods and the cache", () => {
    const models = [cached("small", 1, 100)];
    expect(nodeFilesGiB(pool(500), models)).toBe(podFilesGiB(pool(500), models) + 500);
  });
});
