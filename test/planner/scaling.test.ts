import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MachineShape } from "../../catalog/shapes";
import { planDeployment } from "../../planner/plan";
import { planScaling, SCALED_BY_DEFAULT, type ScalingPlace, type ScalingRequest } from "../../planner/scaling";
import { parted } from "../../planner/slices";
import type { DeploymentPlan } from "../../planner/types";
import { environmentOf, modelOf, poolOf, shapeNamed } from "./fixtures";

/** One card each. */
const chat = modelOf("llama-3.2-3b-instruct", { name: "chat", concurrency: 2, minReplicas: 1, maxReplicas: 3 });
const near: ScalingPlace = { loadSeconds: 100, pullSeconds: 200, nodeSeconds: 300, hasRoom: true, hasImage: true };
const asked = (changes: Partial<ScalingRequest> = {}): ScalingRequest => ({ ...SCALED_BY_DEFAULT, ...changes });

const anyPlace: fc.Arbitrary<ScalingPlace> = fc.record({
  loadSeconds: fc.double({ min: 0, max: 7200, noNaN: true }),
  pullSeconds: fc.double({ min: 0, max: 3600, noNaN: true }),
  nodeSeconds: fc.nat(3600),
  hasRoom: fc.boolean(),
  hasImage: fc.boolean(),
});
const anyModel = fc
  .record({
    engine: fc.constantFrom("vllm" as const, "ollama" as const, "triton" as const, "tgi" as const),
    minReplicas: fc.nat(4),
    more: fc.integer({ min: 1, max: 8 }),
    concurrency: fc.integer({ min: 1, max: 4096 }),
  })
  .map(({ more, ...model }) => ({
    ...model,
    engineVersion: "0.33.0",
    maxReplicas: model.minReplicas + more,
    scaling: asked(),
  }));

describe("planScaling", () => {
  it("scales nothing whose replicas cannot change, and nobody whom nobody scales", () => {
    expect(planScaling({ ...chat, maxReplicas: 1, scaling: asked() }, near)).toBeUndefined();
    expect(planScaling(chat, near)).toBeUndefined();
  });

  it.each([
    [
      "vllm",
      [
        { on: "queue", target: 4 },
        { on: "kvCache", target: 80 },
      ],
    ],
    ["triton", [{ on: "queue", target: 4 }]],
    ["tgi", [{ on: "queue", target: 4 }]],
    // It reports nothing: what the gateway has under way counts the sixteen that are being answered, too.
    ["ollama", [{ on: "queue", target: 16, at: "gateway" }]],
  ] as const)("follows what %s reports of requests", (engine, signals) => {
    expect(planScaling({ ...chat, engine, concurrency: 16, scaling: asked() }, near)?.signals).toEqual(signals);
  });

  it("follows no series that a release of the engine lacks", () => {
    const followed = (engineVersion: string) =>
      planScaling({ ...chat, engineVersion, scaling: asked() }, near)?.signals.map(({ on }) => on);
    expect([followed("0.9.1"), followed("0.9.2")]).toEqual([["queue"], ["queue", "kvCache"]]);
  });

  it("follows what a replica runs at its service level, where its traffic says", () => {
    const busy = { atOnce: 40, waiting: 3 };
    const plan = planScaling({ ...chat, concurrency: 16, scaling: asked() }, near, busy);
    expect([plan?.signals[0], plan?.atOnce]).toEqual([{ on: "queue", target: 3 }, 40]);
    const counted = planScaling({ ...chat, engine: "ollama", concurrency: 16, scaling: asked() }, near, busy);
    expect(counted?.signals).toEqual([{ on: "queue", target: 40, at: "gateway" }]);
    const said = planScaling({ ...chat, scaling: asked({ targets: { queue: 9 } }) }, near, busy);
    expect(said?.signals[0]?.target).toBe(9);
    expect(planScaling({ ...chat, scaling: asked() }, near)).not.toHaveProperty("atOnce");
  });

  it("keeps to targets that are said, and has its own for the rest", () => {
    const scaling = asked({
      on: ["latency", "gpuUtilization", "cpuQueue", "queue"],
      targets: { latency: 250, queue: 9 },
    });
    expect(planScaling({ ...chat, scaling }, near)?.signals.map(({ target }) => target)).toEqual([250, 75, 100, 9]);
  });

  it.each([
    [
      { hasRoom: true, hasImage: true },
      { node: 0, load: 100, total: 130 },
    ],
    [
      { hasRoom: true, hasImage: false },
      { node: 0, load: 300, total: 330 },
    ],
    [
      { hasRoom: false, hasImage: true },
      { node: 300, load: 300, total: 630 },
    ],
  ])("counts a node that comes, and the image that it lacks: %j", (place, way) => {
    const plan = planScaling({ ...chat, scaling: asked() }, { ...near, ...place });
    expect(plan?.spikeToServed).toEqual({ scrape: 15, poll: 15, ...way });
    // With neither a node nor a replica.
    expect(plan?.coldStartSeconds).toBe(630);
  });

  it("lets only those sleep of which none always runs, for ten times their way back", () => {
    const sleeps = { ...chat, minReplicas: 0, scaling: asked() };
    expect(planScaling(sleeps, near)).toMatchObject({ coldStartSeconds: 130, idleSeconds: 1300, fallbackReplicas: 1 });
    expect(planScaling({ ...sleeps, scaling: asked({ idleSeconds: 700 }) }, near)?.idleSeconds).toBe(700);
    expect(planScaling({ ...chat, scaling: asked() }, near)).not.toHaveProperty("idleSeconds");
  });

  it("adds up, and takes nothing away before it could be back", () => {
    fc.assert(
      fc.property(anyModel, anyPlace, (model, place) => {
        const plan = planScaling(model, place);
        expect(plan).toBeDefined();
        if (plan) {
          const { scrape, poll, node, load, total } = plan.spikeToServed;
          expect(scrape + poll + node + load).toBe(total);
          expect(plan.coldStartSeconds).toBeGreaterThanOrEqual(total);
          // 3600 s: what a HorizontalPodAutoscaler accepts at most.
          expect(plan.scaleDownWindowSeconds).toBeGreaterThanOrEqual(Math.min(3600, plan.coldStartSeconds));
          expect(plan.scaleDownWindowSeconds).toBeLessThanOrEqual(3600);
          expect(plan.idleSeconds ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(plan.coldStartSeconds);
          expect(plan.idleSeconds === undefined).toBe(plan.min > 0);
          expect(plan.fallbackReplicas).toBeGreaterThanOrEqual(1);
          expect(plan.fallbackReplicas).toBeLessThanOrEqual(plan.max);
          expect(plan.signals.every(({ target }) => target > 0)).toBe(true);
        }
      }),
    );
  });

  it("never comes back sooner with more to load, to pull or to wait for", () => {
    fc.assert(
      fc.property(anyModel, anyPlace, fc.nat(1000), (model, place, by) => {
        const seconds = (change: Partial<ScalingPlace>) =>
          planScaling(model, { ...place, ...change })?.coldStartSeconds;
        for (const key of ["loadSeconds", "pullSeconds", "nodeSeconds"] as const) {
          expect(seconds({ [key]: place[key] + by })).toBeGreaterThanOrEqual(seconds({}) ?? Number.POSITIVE_INFINITY);
        }
      }),
    );
  });
});

describe("models that scale, in a plan", () => {
  const pool = (maxNodes: number, shape = "VM.GPU.A10.1") => poolOf(shape, maxNodes, { name: "gpu" });
  const planOf = (changes: object, maxNodes = 3) =>
    planDeployment(environmentOf([pool(maxNodes)], [{ ...chat, scaling: asked(), ...changes }]));
  const gpuPool = ({ pools }: DeploymentPlan) => pools.find(({ name }) => name === "gpu");

  it("pays no node for one that sleeps, and keeps room for what it may be", () => {
    const plan = planOf({ minReplicas: 0 });
    const { models, problems, storage } = plan;
    expect(problems).toEqual([]);
    expect(gpuPool(plan)).toMatchObject({ minNodes: 0, maxNodes: 3, monthlyUsd: 0, gpusClaimed: 0, gpusTotal: 0 });
    expect(gpuPool(plan)?.maxMonthlyUsd).toBeGreaterThan(0);
    expect(models).toMatchObject([{ monthlyUsd: 0, hourlyUsd: 0, scaling: { min: 0, max: 3 } }]);
    expect(models[0]?.scaling?.spikeToServed.node).toBe(300);
    // Its weights wait for it.
    expect(storage.sizeGiB).toBeGreaterThan(0);
  });

  it("refuses more replicas than the pool has room for, asleep or not", () => {
    for (const minReplicas of [0, 1]) {
      const { problems } = planOf({ minReplicas }, 2);
      expect(problems).toMatchObject([{ rule: "pool-capacity", subject: "models.chat", severity: "mandatory" }]);
      expect(problems[0]?.message).toContain("needs 3 nodes");
    }
  });

  it("pays the nodes of spare replicas, onto which the next one comes without waiting for another", () => {
    const plan = planOf({ scaling: asked({ spareReplicas: 1 }) });
    const { models } = plan;
    expect(gpuPool(plan)).toMatchObject({ minNodes: 2, gpusClaimed: 2, gpusTotal: 2 });
    expect(models[0]?.monthlyUsd).toBeCloseTo(gpuPool(plan)?.monthlyUsd ?? 0, 6);
    expect(models[0]?.scaling?.spikeToServed.node).toBe(0);
    expect(planOf({}).models[0]?.scaling?.spikeToServed.node).toBe(300);
  });

  it("counts no node where one that runs has a card to spare", () => {
    const pair = planDeployment(environmentOf([pool(2, "VM.GPU.A10.2")], [{ ...chat, scaling: asked() }]));
    expect(pair.models[0]?.scaling?.spikeToServed.node).toBe(0);
    expect(pair.models[0]?.scaling?.coldStartSeconds).toBeGreaterThan(300);
  });

  it("places one that sleeps where it can wake, and where that is cheapest", () => {
    const pools = [pool(3, "VM.GPU.A10.2"), poolOf("VM.GPU.A10.1", 3, { name: "small" })];
    const sleeper = { ...chat, minReplicas: 0, maxReplicas: 1, scaling: asked() };
    expect(planDeployment(environmentOf(pools, [sleeper])).models[0]?.pool).toBe("small");
    // The card of the small pool is taken, the pair has one left.
    const [pair, small] = [pool(1, "VM.GPU.A10.2"), poolOf("VM.GPU.A10.1", 1, { name: "small" })];
    const runs = { ...chat, maxReplicas: 1, name: "runs", pools: ["small"] };
    const plan = planDeployment(environmentOf([small, pair], [runs, sleeper]));
    expect(plan.problems).toEqual([]);
    expect(plan.models.map((model) => [model.name, model.pool])).toEqual([
      ["runs", "small"],
      ["chat", "gpu"],
    ]);
  });

  it("refuses a latency that the longest prompt alone takes, with a smaller context that would do", () => {
    const slow = {
      contextTokens: 32_768,
      concurrency: 1,
      scaling: asked({ on: ["latency"], targets: { latency: 80 } }),
    };
    const { problems } = planOf(slow);
    expect(problems).toMatchObject([
      { rule: "latency-target", severity: "mandatory", subject: "models.chat.scaling.targets.latency" },
    ]);
    const context = Number(/contextTokens: (\d+)/.exec(problems[0]?.message ?? "")?.[1]);
    expect(planOf({ ...slow, contextTokens: context }).problems).toEqual([]);
    expect(planOf({ ...slow, contextTokens: context * 2 }).problems).toHaveLength(1);
    const target = Number(/more than (\d+)/.exec(problems[0]?.message ?? "")?.[1]);
    expect(planOf({ ...slow, scaling: asked({ on: ["latency"], targets: { latency: target } }) }).problems).toEqual([]);
  });

  it("refuses to let one sleep before it has come back", () => {
    const { problems } = planOf({ minReplicas: 0, scaling: asked({ idleSeconds: 60 }) });
    expect(problems).toMatchObject([{ rule: "idle-time", subject: "models.chat.scaling.idleSeconds" }]);
    const least = Number(/idleSeconds: (\d+)/.exec(problems[0]?.message ?? "")?.[1]);
    expect(planOf({ minReplicas: 0, scaling: asked({ idleSeconds: least }) }).problems).toEqual([]);
  });

  it("refuses signals of GPUs to one that runs on CPUs", () => {
    const ollama = { engine: "ollama" as const, engineVersion: "0.32.15", quantization: "Q4_K_M" };
    const { problems } = planDeployment(
      environmentOf([poolOf("m7i.4xlarge", 3)], [{ ...chat, ...ollama, scaling: asked({ on: ["gpuMemory"] }) }]),
    );
    expect(problems).toMatchObject([{ rule: "scaling-signal", subject: "models.chat.scaling.on" }]);
  });

  it("refuses signals of GPUs that no exporter reports by model", () => {
    const small = modelOf("llama-3.2-1b-instruct", { name: "chat", minReplicas: 1, maxReplicas: 3 });
    const ollama = { engine: "ollama" as const, engineVersion: "0.32.15", quantization: "Q4_K_M" };
    const a10 = shapeNamed("VM.GPU.A10.1");
    const told = (shape: MachineShape, on: ScalingRequest["on"]) =>
      planDeployment(environmentOf([poolOf(a10.name, 3, { shape })], [{ ...small, ...ollama, scaling: asked({ on }) }]))
        .problems.filter(({ rule }) => rule === "scaling-signal")
        .map(({ message }) => message);
    const turns = parted(a10, { timeSlicing: { replicas: 3 } });
    const cardOf = (model: string): MachineShape => ({
      ...a10,
      ...(a10.gpu && { gpu: { ...a10.gpu, vendor: "amd", resource: "amd.com/gpu", model } }),
    });
    expect(told(turns, ["gpuUtilization"])).toEqual([expect.stringMatching(/in turns/)]);
    expect(told(cardOf("AMD Radeon RX 7900 XTX"), ["gpuMemory"])).toEqual([
      expect.stringMatching(/AMD Radeon RX 7900 XTX/),
    ]);
    expect(told(turns, ["queue"])).toEqual([]);
    expect(told(cardOf("AMD Instinct MI300X"), ["gpuUtilization"])).toEqual([]);
  });
});
