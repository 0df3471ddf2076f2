/**
 * Every GPU machine of the catalogue, as pools have it: what a plan puts on one node fits that node, beside all that runs there anyway.
 * test/nightly/environments/rehearse-shapes.test.ts asks the real scheduler.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FABRIC_ACCESS, fabricOf } from "../../catalog/fabrics";
import type { MachineShape } from "../../catalog/shapes";
import { type EngineName, engineOf } from "../../engines";
import { bootVolumeNeed } from "../../planner/boot-volume";
import { groupDevices, poolFabric } from "../../planner/fabric";
import { meshAgents } from "../../planner/mesh-reserve";
import { nodeAgents } from "../../planner/node-agents";
import { NodePacking } from "../../planner/packing";
import { nodeAllocatable } from "../../planner/pod-resources";
import { parted } from "../../planner/slices";
import type { DeploymentPlan, ModelPlan } from "../../planner/types";
import { atNight } from "../harness/property-runs";
import {
  fillingEngines,
  gpuMachines,
  gpuPool,
  MODES,
  type Mode,
  planOn,
  podsOf,
  sharingsOf,
  smallModel,
  startsOn,
  wholeModel,
} from "./every-shape";
import { gpuOf } from "./fixtures";

const { plain, ambient, sidecar, group, most } = MODES;
const ALL: readonly Mode[] = [plain, ambient, sidecar, group, most];

/** What is left of one node that holds all pods of these models, agents and mesh besides; negative where too much was promised. */
function leftOver({ models, mesh }: DeploymentPlan, shape: MachineShape) {
  const node = nodeAllocatable(shape);
  const besides = [nodeAgents(shape), meshAgents(mesh)];
  const pods = models.flatMap((model) => {
    const { replica, companion } = podsOf(model);
    return [...Array.from({ length: model.minReplicas }, () => replica), ...(companion ? [companion] : [])];
  });
  const sum = (of: (pod: { gpus: number; cpu: number; memoryGiB: number }) => number) =>
    [...besides, ...pods].reduce((total, pod) => total + of(pod), 0);
  const exact = (value: number) => Number(value.toFixed(6));
  return {
    gpus: node.gpus - sum(({ gpus }) => gpus),
    cpu: exact(node.cpu - sum(({ cpu }) => cpu)),
    memoryGiB: exact(node.memoryGiB - sum(({ memoryGiB }) => memoryGiB)),
  };
}

/** CPUs of the engine's own container. */
function engineCpus({ resources, engine, sidecars }: ModelPlan): number {
  return Number((resources.cpu - engineOf(engine).sidecar.cpu - (sidecars?.cpu ?? 0)).toFixed(6));
}

/** The other modes have less beside the engine than one of these, and are drawn below. */
const LEAST_AND_MOST: readonly Mode[] = [plain, ambient, most];

describe.each(LEAST_AND_MOST)("a node of any GPU machine, with $name", (mode) => {
  it("holds one model on every GPU, of every engine that starts there, and not one more", () => {
    const served = new Set<EngineName>();
    for (const shape of gpuMachines) {
      const pool = gpuPool(shape);
      for (const engine of fillingEngines.filter((each) => startsOn(shape, each, mode))) {
        const { count } = gpuOf(shape);
        const full = planOn(pool, [smallModel(engine, count)], mode);
        // A machine may have too few CPUs for as many pods: then the plan says so, and for one less it does not promise too much.
        const placed = full.models.length > 0 ? full : planOn(pool, [smallModel(engine, count - 1)], mode);
        const what = `${count} × ${engine} on ${shape.name}`;
        for (const model of placed.models) {
          expect(Number.isInteger(engineCpus(model)), `whole CPUs: ${what}`).toBe(true);
          expect(engineCpus(model), what).toBeGreaterThanOrEqual(1);
          expect(model.tolerations, what).not.toContainEqual(
            expect.objectContaining({ key: "startup-taint.cluster-autoscaler.kubernetes.io/uncertified" }),
          );
          served.add(engine);
        }
        const left = leftOver(placed, shape);
        expect(
          Math.min(left.gpus, left.cpu, left.memoryGiB),
          `${what}: ${JSON.stringify(left)}`,
        ).toBeGreaterThanOrEqual(0);
        if (mode !== plain) {
          continue;
        }
        const more = planOn(pool, [smallModel(engine, count + 1)], mode);
        expect(
          more.problems.map(({ rule }) => rule),
          what,
        ).toContain("pool-capacity");
      }
    }
    expect([...served].sort()).toEqual(["ollama", "ray", "vllm"]);
  });

  it("holds one model on all its GPUs", () => {
    for (const shape of gpuMachines.filter((each) => gpuOf(each).count > 1)) {
      const { count } = gpuOf(shape);
      const plan = planOn(gpuPool(shape), [wholeModel(shape)], mode);
      const left = leftOver(plan, shape);
      expect(Math.min(left.gpus, left.cpu, left.memoryGiB), shape.name).toBeGreaterThanOrEqual(0);
      for (const model of plan.models) {
        expect(model.gpusPerNode, shape.name).toBe(count);
        expect(Number.isInteger(engineCpus(model)), shape.name).toBe(true);
      }
    }
  });
});

describe("devices of a pod", () => {
  it("are never more than its machine has, whatever RDMA access the pool says", () => {
    let groups = 0;
    for (const shape of gpuMachines) {
      for (const rdmaAccess of FABRIC_ACCESS) {
        const pool = { shape, rdmaAccess };
        const fabric = poolFabric(pool);
        const { extended = {} } = groupDevices(pool);
        const offered = fabricOf(shape.name)?.device;
        for (const [resource, count] of Object.entries(extended)) {
          expect({ resource, count }).toEqual({ resource: offered?.resource, count: offered?.perNode });
          groups += 1;
        }
        // Devices are what pods get unless they are on the node's own network.
        expect(Object.keys(extended).length, `${shape.name} ${rdmaAccess}`).toBe(
          fabric && fabric.access !== "host-network" ? 1 : 0,
        );
      }
    }
    expect(groups).toBeGreaterThan(10);
  });
});

describe("a node whose GPUs are parted", () => {
  const partings = gpuMachines.flatMap((machine) =>
    sharingsOf(machine).map((sharing) => ({ machine, sharing, shape: parted(machine, sharing) })),
  );

  it("holds a small model on every slice, of those layouts on which one fits, and not one more", () => {
    const served = new Set<string>();
    for (const { machine, sharing, shape } of partings) {
      const { count, resource } = gpuOf(shape);
      const pool = gpuPool(shape, { sharing });
      const what = `${count} × ${resource} on ${machine.name}`;
      const plan = planOn(pool, [smallModel("ollama", count)], plain);
      const left = leftOver(plan, shape);
      expect(Math.min(left.gpus, left.cpu, left.memoryGiB), `${what}: ${JSON.stringify(left)}`).toBeGreaterThanOrEqual(
        0,
      );
      for (const model of plan.models) {
        expect([model.gpusPerNode, model.resources.gpuResource], what).toEqual([1, resource]);
        expect(Number.isInteger(engineCpus(model)), `whole CPUs: ${what}`).toBe(true);
        expect(gpuOf(shape).slice?.perGpu, what).toBeGreaterThan(0);
        served.add(resource);
      }
      expect(planOn(pool, [smallModel("ollama", count + 1)], plain).models, what).toEqual([]);
    }
    expect([...served]).toEqual(expect.arrayContaining(["nvidia.com/mig-1g.10gb", "nvidia.com/gpu.shared"]));
  });

  it("leaves room for whatever else runs there", () => {
    fc.assert(
      fc.property(fc.constantFrom(...partings), fc.constantFrom(...ALL), ({ sharing, shape }, mode) => {
        const plan = planOn(gpuPool(shape, { sharing }), [smallModel("ollama", gpuOf(shape).count)], mode);
        const left = leftOver(plan, shape);
        expect(Math.min(left.gpus, left.cpu, left.memoryGiB)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: atNight(100) },
    );
  });
});

describe("a mixture of models", () => {
  const sizes = fc.array(fc.constantFrom(1, 2, 4), { minLength: 1, maxLength: 8 });

  it("fits the nodes that the plan counts, with what its pods write", () => {
    fc.assert(
      fc.property(fc.constantFrom(...gpuMachines), sizes, fc.constantFrom(...ALL), (shape, gpus, mode) => {
        const models = gpus
          .filter((count) => count <= gpuOf(shape).count)
          .map((count, index) =>
            smallModel("vllm", 1, {
              name: `model-${index}`,
              tensorParallel: Math.min(2, count),
              pipelineParallel: count / Math.min(2, count),
            }),
          );
        const plan = planOn(gpuPool(shape, { maxNodes: 8 }), models, mode);
        const node = nodeAllocatable(shape);
        const agents = [nodeAgents(shape), meshAgents(plan.mesh)];
        const room = {
          gpus: node.gpus,
          cpu: node.cpu - agents.reduce((sum, { cpu }) => sum + cpu, 0),
          memoryGiB: node.memoryGiB - agents.reduce((sum, { memoryGiB }) => sum + memoryGiB, 0),
        };
        const packed = plan.models.reduce(
          (packing, { resources }) => packing.with({ demand: resources, count: 1, nodesPerReplica: 1 }),
          NodePacking.empty(room),
        );
        const pool = plan.pools.find(({ name }) => name === "gpu");
        expect(packed.nodes).toBeLessThanOrEqual(pool?.minNodes ?? 0);
        // Whichever of them come together on a node, its disk holds them.
        if (pool) {
          const most = bootVolumeNeed(pool, plan.models);
          const together = plan.models.reduce(
            (fill, { resources }) =>
              fill.gpus + resources.gpus > node.gpus
                ? fill
                : { gpus: fill.gpus + resources.gpus, gib: fill.gib + resources.ephemeralStorageGiB },
            { gpus: 0, gib: 0 },
          );
          expect(together.gib).toBeLessThanOrEqual(most.podsGiB);
        }
      }),
      { numRuns: atNight(200) },
    );
  });
});
