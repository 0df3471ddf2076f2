import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MachineShape } from "../../catalog/shapes";
import { type NumaPod, type NumaQuestion, numaPolicyOf, numaProblem } from "../../planner/numa";
import { allocatable, gpuPodResources, reservableCpus } from "../../planner/pod-resources";
import { Kubelet, type Topology } from "../harness/topology-manager";
import { shapeNamed } from "./fixtures";

const NOTHING = { gpus: 0, cpu: 0, memoryGiB: 0 };
const SIDECAR = { cpu: 0.3, memoryGiB: 0.5, ephemeralStorageGiB: 0.25 };
const VFS = "nvidia.com/rdma-vf";
const h100 = shapeNamed("BM.GPU.H100.8");

/** A pod as the planner sizes it. */
function pod(gpus: number, changes: Partial<NumaPod> = {}, shape: MachineShape = h100): NumaPod {
  const { cpu } = gpuPodResources(shape, allocatable(shape, NOTHING), gpus, {
    ephemeralStorageGiB: 10,
    sidecar: SIDECAR,
  });
  return { name: `model-${gpus}`, gpus, cpu, ...changes };
}

const wholeNode = pod(8, { extended: { [VFS]: 16 } });
const ask = (pods: readonly NumaPod[], changes: Partial<NumaQuestion> = {}): NumaQuestion => ({
  shape: h100,
  pods,
  besides: 0,
  ...changes,
});

describe("the policy of kubelets", () => {
  it("is restricted where pods take a whole machine, one memory node, or equal parts of it", () => {
    for (const pods of [[], [wholeNode], [pod(8), pod(8)], [pod(4)], [pod(2)], [pod(1), pod(1)], [pod(4), pod(8)]]) {
      expect(numaPolicyOf(ask(pods))).toBe("restricted");
    }
  });

  it("is best-effort where pods of several sizes would leave GPUs on several memory nodes", () => {
    expect(numaPolicyOf(ask([pod(1), pod(4)]))).toBe("best-effort");
    expect(numaPolicyOf(ask([pod(6), pod(2)]))).toBe("best-effort");
  });

  it("is best-effort where CPUs or devices would prefer other memory nodes than GPUs do", () => {
    expect(numaPolicyOf(ask([{ ...pod(8), cpu: 100 }]))).toBe("best-effort");
    expect(numaPolicyOf(ask([pod(4, { extended: { [VFS]: 16 } })]))).toBe("best-effort");
    expect(numaPolicyOf(ask([pod(4)], { besides: 20 }))).toBe("best-effort");
    // Whoever has all GPUs takes what CPUs are left of both.
    expect(numaPolicyOf(ask([pod(8)], { besides: 20 }))).toBe("restricted");
  });

  it("is best-effort on machines of which too little is known, and restricted on those with one memory node", () => {
    expect(numaPolicyOf(ask([], { shape: shapeNamed("BM.GPU.A100-v2.8") }))).toBe("best-effort");
    expect(numaPolicyOf(ask([], { shape: shapeNamed("BM.GPU.MI300X.8") }))).toBe("best-effort");
    const a10 = shapeNamed("VM.GPU.A10.2");
    expect(numaPolicyOf(ask([pod(1, {}, a10), pod(2, {}, a10)], { shape: a10 }))).toBe("restricted");
  });

  it("is nobody's where no engine has CPUs of its own, and otherwise what the environment says", () => {
    expect(numaPolicyOf(ask([], { shape: shapeNamed("VM.GPU3.1"), chosen: "restricted" }))).toBeUndefined();
    expect(numaPolicyOf(ask([], { shape: shapeNamed("VM.Standard.A1.Flex") }))).toBeUndefined();
    expect(numaPolicyOf(ask([pod(1)], { chosen: "best-effort" }))).toBe("best-effort");
  });
});

describe("a policy that the environment chose", () => {
  it("is refused where it turns planned pods down, with the pod and what to write", () => {
    expect(numaProblem("h100", ask([wholeNode], { chosen: "single-numa-node" }))).toMatchObject({
      severity: "mandatory",
      rule: "numa-policy",
      subject: "pools.h100.numa",
      message: expect.stringMatching(
        /a pod of model-8 has 8 GPUs, and a memory node of BM.GPU.H100.8 has 4.*Write numa: restricted/,
      ),
    });
    expect(numaProblem("h100", ask([pod(1), pod(4)], { chosen: "restricted" }))).toMatchObject({
      severity: "mandatory",
      message: expect.stringMatching(/model-1 and model-4 have 1 and 4 GPUs.*Write numa: best-effort/),
    });
    expect(
      numaProblem("h100", ask([pod(4), { ...pod(3), name: "odd" }], { chosen: "single-numa-node" }))?.message,
    ).toContain("odd");
  });

  it("stands where every planned pod is admitted, and best-effort always", () => {
    expect(numaProblem("h100", ask([pod(4)], { chosen: "single-numa-node" }))).toBeUndefined();
    expect(numaProblem("h100", ask([wholeNode], { chosen: "restricted" }))).toBeUndefined();
    expect(numaProblem("h100", ask([pod(1), pod(4)], { chosen: "best-effort" }))).toBeUndefined();
  });

  it("is advised on where nobody here knows the machine, and refused where it is the strictest", () => {
    const unknown = { shape: shapeNamed("BM.GPU.B200.8") };
    expect(numaProblem("b200", ask([], { ...unknown, chosen: "restricted" }))).toMatchObject({ severity: "advisory" });
    expect(numaProblem("b200", ask([], { ...unknown, chosen: "single-numa-node" }))).toMatchObject({
      severity: "mandatory",
    });
  });
});

/** A machine as the plan counts with it; the system's CPUs as nodes name them. */
function machine(shape: MachineShape, { spread = true, vfs = true } = {}): Topology {
  const { nodes = 1 } = shape.numa ?? {};
  const gpus = shape.gpu?.count ?? 0;
  const reserved = reservableCpus(shape);
  const of = (count: number) => Array.from({ length: count }, (_, i) => Math.floor((i * nodes) / count));
  return {
    nodes,
    cpus: Array.from({ length: nodes }, (_, node) => ({
      all: shape.cpu.vcpus / nodes,
      reserved: spread ? Math.floor(reserved / nodes) + (node < reserved % nodes ? 1 : 0) : node === 0 ? reserved : 0,
    })),
    devices: { gpu: of(gpus), ...(vfs && { [VFS]: of(16) }) },
  };
}

const asked = ({ gpus, cpu, extended = {} }: NumaPod) => ({
  cpus: Math.floor(cpu),
  devices: { gpu: gpus, ...extended },
});

/** What happens on a node: a pod of one of the models comes if the scheduler would send it, or one leaves. */
const events = fc.array(
  fc.record({ comes: fc.boolean(), which: fc.nat(), chance: fc.double({ min: 0, max: 0.999, noNaN: true }) }),
  {
    maxLength: 40,
  },
);

/** Pods that a kubelet turned down of those that the scheduler would have sent to it. */
function turnedDown(
  topology: Topology,
  policy: "restricted" | "single-numa-node" | "best-effort",
  pods: readonly NumaPod[],
  history: readonly { comes: boolean; which: number; chance: number }[],
): string[] {
  let seed = 0;
  const kubelet = new Kubelet(topology, policy, () => {
    seed = (seed * 9301 + 49297) % 233280;
    return seed / 233280;
  });
  return history.flatMap(({ comes, which, chance }) => {
    seed = Math.floor(chance * 233280);
    const running = kubelet.running();
    if (!comes) {
      const leaving = running[which % Math.max(1, running.length)];
      leaving && kubelet.leave(leaving);
      return [];
    }
    const coming = pods[which % pods.length];
    const free = kubelet.free();
    const wanted = coming && asked(coming);
    const fits =
      wanted &&
      free.cpus >= wanted.cpus &&
      Object.entries(wanted.devices).every(([name, count]) => (free.devices[name] ?? 0) >= count);
    return coming && fits && kubelet.admit(wanted) === undefined ? [coming.name] : [];
  });
}

describe("a kubelet", () => {
  const shapes = ["BM.GPU.H100.8", "BM.GPU.H200.8", "VM.GPU.A10.2", "VM.GPU.A10.1", "VM.GPU3.4"].map(shapeNamed);
  const models = fc.constantFrom(...shapes).chain((shape) =>
    fc.record({
      shape: fc.constant(shape),
      pods: fc.array(
        fc
          .record({
            gpus: fc.integer({ min: 1, max: shape.gpu?.count ?? 1 }),
            cpuLess: fc.integer({ min: 0, max: 60 }),
            vfs: fc.boolean(),
          })
          .map(({ gpus, cpuLess, vfs }): NumaPod => {
            const usual = pod(gpus, {}, shape);
            return {
              ...usual,
              cpu: Math.max(1.3, usual.cpu - (cpuLess > 40 ? cpuLess : 0)),
              ...(vfs && shape === h100 && { extended: { [VFS]: 16 } }),
            };
          }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  );

  it("turns down no planned pod under the policy of the plan, whatever came and left before", () => {
    let strict = 0;
    fc.assert(
      fc.property(models, events, ({ shape, pods }, history) => {
        const policy = numaPolicyOf({ shape, pods, besides: 0 });
        strict += policy === "restricted" ? 1 : 0;
        expect(turnedDown(machine(shape), policy ?? "best-effort", pods, history)).toEqual([]);
      }),
      { numRuns: 400 },
    );
    // Otherwise this would hold for a plan that never is strict.
    expect(strict).toBeGreaterThan(40);
  });

  it("turns down none under the strictest policy where the plan lets it stand", () => {
    let strict = 0;
    fc.assert(
      fc.property(models, events, ({ shape, pods }, history) => {
        const question = { shape, pods, besides: 0, chosen: "single-numa-node" as const };
        if (numaPolicyOf(question) === "single-numa-node" && numaProblem("pool", question) === undefined) {
          strict += 1;
          expect(turnedDown(machine(shape), "single-numa-node", pods, history)).toEqual([]);
        }
      }),
      { numRuns: 400 },
    );
    expect(strict).toBeGreaterThan(40);
  });

  const comes = { comes: true, which: 0, chance: 0 };

  it("would turn down what the plan refuses or avoids", () => {
    const told = (policy: "restricted" | "single-numa-node", pods: readonly NumaPod[], order: readonly number[]) =>
      turnedDown(
        machine(h100),
        policy,
        pods,
        order.map((which) => ({ ...comes, which })),
      );
    // All GPUs on one memory node; three pods of 3, 3 and 2 GPUs; CPUs of one memory node beside GPUs of two.
    expect(told("single-numa-node", [pod(8)], [0])).toEqual(["model-8"]);
    expect(told("restricted", [pod(3), pod(2)], [0, 0, 1])).toEqual(["model-2"]);
    expect(told("restricted", [{ ...pod(8), cpu: 100 }], [0])).toEqual(["model-8"]);
    expect(told("restricted", [pod(4, { extended: { [VFS]: 16 } })], [0])).toEqual(["model-4"]);
  });

  it("would turn down the second half of a machine whose system keeps CPUs of the first memory node alone", () => {
    const history = [comes, comes];
    expect(turnedDown(machine(h100, { spread: false }), "restricted", [pod(4)], history)).toEqual(["model-4"]);
    expect(turnedDown(machine(h100), "restricted", [pod(4)], history)).toEqual([]);
  });

  it("never turns a pod down for where its GPUs are under best-effort", () => {
    fc.assert(
      fc.property(models, events, ({ shape, pods }, history) => {
        expect(turnedDown(machine(shape), "best-effort", pods, history)).toEqual([]);
      }),
    );
  });
});
