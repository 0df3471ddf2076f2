/**
 * Every GPU machine of the catalogue, as pools have it: what a plan puts on one node fits that node, beside all that runs there anyway.
 * test/e2e/rehearse-shapes.test.ts asks the real scheduler.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FABRIC_ACCESS, fabricOf } from "../../catalog/fabrics";
import type { GpuSharing } from "../../catalog/gpu-sharing";
import { cards, type MachineShape, onPremNode, shapes } from "../../catalog/shapes";
import { type EngineName, engineOf, type SidecarResources } from "../../engines";
import { bootVolumeNeed } from "../../planner/boot-volume";
import { groupDevices, poolFabric } from "../../planner/fabric";
import { FitCache } from "../../planner/fit-cache";
import { type MeshMode, meshAgents } from "../../planner/mesh-reserve";
import { nodeAgents } from "../../planner/node-agents";
import { NodePacking } from "../../planner/packing";
import { planDeployment } from "../../planner/plan";
import { nodeAllocatable } from "../../planner/pod-resources";
import type { ModelRequest, PoolRequest } from "../../planner/request";
import { MESH_PROXY, NODE_PROXY, NODE_REGISTRATION } from "../../planner/sidecars";
import { parted } from "../../planner/slices";
import type { DeploymentPlan, ModelPlan } from "../../planner/types";
import { environmentOf, gpuOf, modelOf, poolOf } from "./fixtures";

/** A machine for each card of one's own, with a host that has just enough for it. */
const ownMachines = cards.map(({ name }) =>
  onPremNode({ card: name, gpuCount: 2, vcpus: 16, memoryGiB: 128, localNvmeGB: 500, networkGbps: 10 }),
);
const machines = [...shapes, ...ownMachines].filter((shape) => shape.gpu !== undefined && shape.denied === undefined);

const SMALL = modelOf("qwen2.5-0.5b-instruct", { contextTokens: 2048, concurrency: 1 });
const OLLAMA = { engine: "ollama", engineVersion: "0.32.15", quantization: "Q4_K_M" } as const;
const RAY = { engine: "ray", engineVersion: "2.56.0" } as const;

/** Plans differ in how many replicas they ask for, which fits turn on seldom. */
const fits = new FitCache();

/** What else runs in pods and on nodes. */
interface Mode {
  readonly name: string;
  readonly mesh?: MeshMode;
  readonly sidecars: readonly SidecarResources[];
}

const MODES: readonly Mode[] = [
  { name: "no mesh", sidecars: [] },
  { name: "ambient mesh", mesh: "ambient", sidecars: [] },
  { name: "sidecar mesh", mesh: "sidecar", sidecars: [MESH_PROXY] },
  { name: "nodes of a group", sidecars: [NODE_PROXY, NODE_REGISTRATION] },
  {
    name: "nodes of a group in a sidecar mesh",
    mesh: "sidecar",
    sidecars: [NODE_PROXY, NODE_REGISTRATION, MESH_PROXY],
  },
];

function poolOn(shape: MachineShape, changes: Partial<PoolRequest> = {}): PoolRequest {
  return { ...poolOf("VM.GPU.A10.1", 1), shape, name: "gpu", ...changes };
}

function planOn(pool: PoolRequest, models: readonly ModelRequest[], { mesh, sidecars }: Mode) {
  return planDeployment(
    environmentOf(
      [pool],
      models.map((model) => ({ ...model, sidecars })),
      mesh && { mesh },
    ),
    fits,
  );
}

/** Engines that start on the machine with a small model. */
function enginesOn(shape: MachineShape, mode: Mode): EngineName[] {
  const all: Pick<ModelRequest, "engine" | "engineVersion">[] = [SMALL, OLLAMA, RAY];
  return all.flatMap((engine) =>
    planOn(poolOn(shape), [{ ...SMALL, ...engine }], mode).models.length > 0 ? [engine.engine] : [],
  );
}

function modelOn(engine: EngineName, replicas: number, changes: Partial<ModelRequest> = {}): ModelRequest {
  const own = { vllm: {}, ollama: OLLAMA, ray: RAY, triton: {}, tgi: {} }[engine];
  return { ...SMALL, ...own, name: engine, minReplicas: replicas, maxReplicas: replicas, ...changes };
}

/** What is left of one node that holds all pods of these models, agents and mesh besides; negative where too much was promised. */
function leftOver({ models, mesh }: DeploymentPlan, shape: MachineShape) {
  const node = nodeAllocatable(shape);
  const besides = [nodeAgents(shape), meshAgents(mesh)];
  const pods = models.flatMap(({ resources, minReplicas, engine }) => [
    ...Array.from({ length: minReplicas }, () => resources),
    ...[engineOf(engine).companion].filter((pod) => pod !== undefined).map((pod) => ({ ...pod, gpus: 0 })),
  ]);
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

/** Exhaustively over these; the others have less beside the engine than one of them, and are drawn below. */
const LEAST_AND_MOST = MODES.filter(
  ({ name }) => name === "no mesh" || name === "ambient mesh" || name === "nodes of a group in a sidecar mesh",
);

describe.each(LEAST_AND_MOST)("a node of any GPU machine, with $name", (mode) => {
  it("holds one model on every GPU, of every engine that starts there, and not one more", () => {
    const served = new Set<EngineName>();
    for (const shape of machines) {
      const pool = poolOn(shape);
      for (const engine of enginesOn(shape, mode)) {
        const { count } = gpuOf(shape);
        const full = planOn(pool, [modelOn(engine, count)], mode);
        // A machine may have too few CPUs for as many pods: then the plan says so, and for one less it does not promise too much.
        const placed = full.models.length > 0 ? full : planOn(pool, [modelOn(engine, count - 1)], mode);
        const what = `${count} × ${engine} on ${shape.name}`;
        for (const model of placed.models) {
          expect(Number.isInteger(engineCpus(model)), `whole CPUs: ${what}`).toBe(true);
          expect(engineCpus(model), what).toBeGreaterThanOrEqual(1);
          expect(model.tolerations, what).not.toContainEqual(
            expect.objectContaining({ key: "inference-stacks.io/uncertified" }),
          );
          served.add(engine);
        }
        const left = leftOver(placed, shape);
        expect(
          Math.min(left.gpus, left.cpu, left.memoryGiB),
          `${what}: ${JSON.stringify(left)}`,
        ).toBeGreaterThanOrEqual(0);
        if (mode.name !== "no mesh") {
          continue;
        }
        const more = planOn(pool, [modelOn(engine, count + 1)], mode);
        expect(
          more.problems.map(({ rule }) => rule),
          what,
        ).toContain("pool-capacity");
      }
    }
    expect([...served].sort()).toEqual(["ollama", "ray", "vllm"]);
  });

  it("holds one model on all its GPUs", () => {
    for (const shape of machines.filter((each) => gpuOf(each).count > 1)) {
      const { count } = gpuOf(shape);
      const whole = modelOn("vllm", 1, { tensorParallel: 2, pipelineParallel: count / 2 });
      const plan = planOn(poolOn(shape), [whole], mode);
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
    for (const shape of machines) {
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
  const sharing = fc.oneof(
    fc.integer({ min: 2, max: 8 }).map((replicas): GpuSharing => ({ timeSlicing: { replicas } })),
    fc.constantFrom(...["all-1g.10gb", "all-2g.20gb", "all-3g.40gb"].map((mig): GpuSharing => ({ mig }))),
  );

  it("holds one small model on every slice", () => {
    const nvidia = machines.filter(({ gpu }) => gpu?.vendor === "nvidia");
    fc.assert(
      fc.property(fc.constantFrom(...nvidia), sharing, fc.constantFrom(...MODES), (machine, parts, mode) => {
        const shape = parted(machine, parts);
        const { count, resource } = gpuOf(shape);
        const plan = planOn(poolOn(shape, { sharing: parts }), [modelOn("ollama", count)], mode);
        const left = leftOver(plan, shape);
        expect(
          Math.min(left.gpus, left.cpu, left.memoryGiB),
          `${machine.name} ${JSON.stringify(parts)}`,
        ).toBeGreaterThanOrEqual(0);
        for (const { resources, gpusPerNode } of plan.models) {
          expect(gpusPerNode).toBe(1);
          expect(resources.gpuResource).toBe(resource);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe("a mixture of models", () => {
  const sizes = fc.array(fc.constantFrom(1, 2, 4), { minLength: 1, maxLength: 8 });

  it("fits the nodes that the plan counts, with what its pods write", () => {
    fc.assert(
      fc.property(fc.constantFrom(...machines), sizes, fc.constantFrom(...MODES), (shape, gpus, mode) => {
        const models = gpus
          .filter((count) => count <= gpuOf(shape).count)
          .map((count, index) =>
            modelOn("vllm", 1, {
              name: `model-${index}`,
              tensorParallel: Math.min(2, count),
              pipelineParallel: count / Math.min(2, count),
            }),
          );
        const plan = planOn(poolOn(shape, { maxNodes: 8 }), models, mode);
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
      { numRuns: 200 },
    );
  });
});
