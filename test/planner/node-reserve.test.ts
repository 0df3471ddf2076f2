import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shapes } from "../../catalog/shapes";
import { MESH_PODS, meshAgents, meshPlatform } from "../../planner/mesh-reserve";
import { nodeReserve } from "../../planner/node-reserve";
import { planDeployment } from "../../planner/plan";
import { allocatable, PLATFORM_RESERVE } from "../../planner/pod-resources";
import { MESH_PROXY } from "../../planner/sidecars";
import { environmentOf, modelOf, poolOf } from "./fixtures";

const SYSTEM = [{ role: "system" }, { role: "gpu" }] as const;
const ALONE = [{ role: "gpu" }] as const;
const mode = fc.constantFrom("ambient" as const, "sidecar" as const);

describe("nodeReserve", () => {
  it("keeps every node's agents of the mesh free, and the platform's pods where no pool is theirs", () => {
    expect(nodeReserve({ pools: SYSTEM, models: 3 })).toEqual({ gpus: 0, cpu: 0, memoryGiB: 0 });
    expect(nodeReserve({ pools: ALONE, models: 3 })).toEqual({ gpus: 0, cpu: 2, memoryGiB: 6 });
    expect(nodeReserve({ pools: SYSTEM, mesh: "ambient", models: 3 })).toEqual({ gpus: 0, cpu: 0.3, memoryGiB: 0.625 });
    expect(nodeReserve({ pools: SYSTEM, mesh: "sidecar", models: 3 })).toEqual({ gpus: 0, cpu: 0.1, memoryGiB: 0.125 });
    expect(nodeReserve({ pools: ALONE, mesh: "ambient", models: 3 })).toEqual({
      gpus: 0,
      cpu: PLATFORM_RESERVE.cpu + 0.3 + MESH_PODS.istiod.cpu + 3 * MESH_PODS.waypoint.cpu,
      memoryGiB: PLATFORM_RESERVE.memoryGiB + 0.625 + MESH_PODS.istiod.memoryGiB + 3 * MESH_PODS.waypoint.memoryGiB,
    });
  });

  it("counts a proxy beside each of the platform's pods in sidecar mode, however many models there are", () => {
    expect(meshPlatform("sidecar", 1)).toEqual(meshPlatform("sidecar", 20));
    expect(meshPlatform("sidecar", 1).cpu).toBe(MESH_PODS.istiod.cpu + 12 * MESH_PROXY.cpu);
  });

  it("leaves room on any machine for all that the mesh runs there", () => {
    fc.assert(
      fc.property(fc.constantFrom(...shapes), mode, fc.integer({ min: 0, max: 5 }), (shape, mesh, models) => {
        const without = allocatable(shape, nodeReserve({ pools: SYSTEM, models }));
        const within = allocatable(shape, nodeReserve({ pools: SYSTEM, mesh, models }));
        const agents = meshAgents(mesh);
        expect(within.cpu).toBeCloseTo(Math.max(0, without.cpu - agents.cpu), 6);
        expect(within.memoryGiB).toBeCloseTo(Math.max(0, without.memoryGiB - agents.memoryGiB), 6);
        expect(within.gpus).toBe(without.gpus);
      }),
    );
  });
});

describe("a plan with a mesh", () => {
  it("promises no pod room that the agents take, whatever the machine", () => {
    const machines = ["VM.GPU.A10.1", "g6.2xlarge", "BM.GPU.H100.8"];
    fc.assert(
      fc.property(
        fc.constantFrom(...machines),
        fc.constantFrom(undefined, "ambient" as const, "sidecar" as const),
        (name, mesh) => {
          const pool = poolOf(name, 2);
          const model = modelOf("qwen2.5-7b-instruct", { concurrency: 2 });
          const { models, problems } = planDeployment(environmentOf([pool], [model], mesh && { mesh }));
          expect(problems).toEqual([]);
          const node = allocatable(pool.shape, { gpus: 0, cpu: 0, memoryGiB: 0 });
          const agents = meshAgents(mesh);
          for (const { resources, gpusPerNode } of models) {
            const perNode = gpusPerNode > 0 ? Math.floor(node.gpus / gpusPerNode) : 1;
            expect(perNode * resources.cpu + agents.cpu).toBeLessThanOrEqual(node.cpu);
            expect(perNode * resources.memoryGiB + agents.memoryGiB).toBeLessThanOrEqual(node.memoryGiB);
          }
        },
      ),
      { numRuns: 9 },
    );
  });

  it("gives an engine that took a whole node less of it", () => {
    const pool = poolOf("g6.2xlarge", 1);
    const model = modelOf("qwen2.5-7b-instruct", { concurrency: 2 });
    const cpu = (mesh?: "ambient") =>
      planDeployment(environmentOf([pool], [model], mesh && { mesh })).models[0]?.resources.cpu ?? 0;
    expect(cpu("ambient")).toBeLessThan(cpu());
  });
});
