import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planDeployment } from "../../../planner/plan";
import { planWithAdvice } from "../../../planner/plan-with-advice";
import type { ModelRequest, PlanRequest, PoolRequest } from "../../../planner/request";
import type { DeploymentPlan } from "../../../planner/types";
import { atNight } from "../../harness/property-runs";
import { CHAT_TRAFFIC, environmentOf, modelOf, poolOf } from "../fixtures";

/** Two replicas of a model that takes four of eight GPUs. */
function request(
  availability: number | undefined,
  model: Partial<ModelRequest> = {},
  pool: Partial<PoolRequest> = {},
  changes: Partial<PlanRequest> = {},
): PlanRequest {
  const chat = modelOf("llama-3.3-70b-instruct", {
    name: "chat",
    minReplicas: 2,
    maxReplicas: 2,
    tensorParallel: 4,
    ...(availability !== undefined && { serviceLevel: { availability } }),
    ...model,
  });
  return environmentOf([poolOf("p5.48xlarge", 4, { name: "h100", zones: 3, ...pool })], [chat], changes);
}

const nodesOf = ({ pools }: DeploymentPlan) => pools.find(({ name }) => name === "h100")?.minNodes;
const rulesOf = ({ problems }: DeploymentPlan) =>
  problems.filter(({ severity }) => severity === "mandatory").map(({ rule, subject }) => [rule, subject]);
const textOf = ({ problems }: DeploymentPlan, rule: string) =>
  problems.find((problem) => problem.rule === rule)?.message ?? "";

describe("a promised availability", () => {
  it.each([
    ["is on one node where nothing is promised", undefined, 1, undefined],
    ["is on one node where one machine's promise is enough", 0.99, 1, { nodes: 1, zones: 1 }],
    ["is on two nodes in two zones for three nines", 0.999, 2, { nodes: 2, zones: 2 }],
  ])("%s", (_, promised, nodes, apart) => {
    const plan = planDeployment(request(promised));
    expect([rulesOf(plan), nodesOf(plan), plan.models[0]?.availability?.apart]).toEqual([[], nodes, apart]);
  });

  it("names the zones of its pool where it needs several and they are known", () => {
    const zoneNames = ["us-east-1a", "us-east-1b"];
    const apartOn = (promised: number, pool: Partial<PoolRequest>) =>
      planDeployment(request(promised, {}, { zones: 2, ...pool })).models[0]?.availability?.apart;
    expect(apartOn(0.999, { zoneNames })).toEqual({ nodes: 2, zones: 2, zoneNames });
    expect(apartOn(0.999, {})).toEqual({ nodes: 2, zones: 2 });
    expect(apartOn(0.998, { zoneNames })).not.toHaveProperty("zoneNames");
  });

  it("is refused where zones are too few, with the promise that would hold and the replicas that would not help", () => {
    const plan = planWithAdvice(request(0.999, {}, { zones: 1 }));
    expect(rulesOf(plan)).toEqual([["availability", "models.chat"]]);
    const message = textOf(plan, "availability");
    expect(message).toContain(
      'on pool "h100" its replicas answer 99.898 % of the time (1 of 2 needed, on 2 nodes) at best',
    );
    expect(message).toMatch(/lower models\.chat\.serviceLevel\.availability from 0\.999 to 0\.998: [\d,]+ USD a month/);
    expect(message).not.toContain("models.chat.replicas");
  });

  it("is refused with the number of zones that would keep it, and is kept in so many", () => {
    const three = { minReplicas: 3, maxReplicas: 3, traffic: { ...CHAT_TRAFFIC, requestsPerSecond: 4 } };
    const refused = planWithAdvice(request(0.999, three, { zones: 2 }));
    expect(refused.models[0]?.availability).toMatchObject({ replicas: 3, needed: 2, keptInZones: 3 });
    expect(textOf(refused, "availability")).toContain('have nodes of pool "h100" in 3 zones');
    const plan = planDeployment(request(0.999, three));
    expect([rulesOf(plan), plan.models[0]?.availability?.apart]).toEqual([[], { nodes: 3, zones: 3 }]);
  });

  it.each([
    ["zones", "have 3 zones in pools.h100.zones, each also in cluster.eks.zones"],
    ["availabilityDomains", "have 3 domains in pools.h100.availabilityDomains"],
    ["uptime.zones", "have pools.h100.uptime.zones: 3"],
  ] as const)("names %s as the setting of its zones", (zoneSetting, text) => {
    const three = { minReplicas: 3, maxReplicas: 3, traffic: { ...CHAT_TRAFFIC, requestsPerSecond: 4 } };
    const refused = planWithAdvice(request(0.999, three, { zones: 2, zoneSetting }));
    expect(textOf(refused, "availability")).toContain(text);
  });

  it("is refused without zones that its pool may not be in", () => {
    const pool = { zones: 1, most: { nodes: 9, zones: 1 } };
    const refused = planWithAdvice(request(0.999, {}, pool));
    expect([rulesOf(refused), refused.models[0]?.availability?.keptInZones]).toEqual([
      [["availability", "models.chat"]],
      undefined,
    ]);
  });

  it("is refused with the replicas that would keep it", () => {
    const plan = planWithAdvice(request(0.999, { minReplicas: 1, maxReplicas: 1 }));
    expect(rulesOf(plan)).toEqual([["availability", "models.chat"]]);
    expect(textOf(plan, "availability")).toMatch(/raise models\.chat\.replicas from 1 to 2: [\d,]+ USD a month/);
  });

  it("costs what it promises: a budget for one node refuses two, and names the promise that it is enough for", () => {
    const plan = planWithAdvice(request(0.999, {}, {}, { monthlyBudgetUsd: 60_000 }));
    expect(rulesOf(plan)).toEqual([["monthly-budget", "budget.monthlyUsd"]]);
    expect(textOf(plan, "monthly-budget")).toContain("lower models.chat.serviceLevel.availability from 0.999 to 0.995");
  });

  it("takes the pool that keeps it before a cheaper one that does not", () => {
    const asked = request(0.999, {}, { zones: 1 });
    const far = poolOf("p5.48xlarge", 4, { name: "far", zones: 2, usdPerNodeHour: 90 });
    const plan = planDeployment({ ...asked, pools: [...asked.pools, far] });
    expect([rulesOf(plan), plan.models[0]?.pool]).toEqual([[], "far"]);
  });

  it("takes the cheapest pool that keeps it, and of those that cost the same one with nodes in the most zones", () => {
    const choice = fc.record({ zones: fc.integer({ min: 1, max: 4 }), usdPerNodeHour: fc.constantFrom(40, 50, 60) });
    fc.assert(
      fc.property(
        fc.array(choice, { minLength: 2, maxLength: 4 }),
        fc.constantFrom(0.99, 0.998, 0.999, 0.9995),
        (choices, promised) => {
          const asked = request(promised);
          const [system] = asked.pools;
          const pools = choices.map((each, i) => poolOf("p5.48xlarge", 4, { name: `pool-${i}`, ...each }));
          const planOn = (some: readonly PoolRequest[]) =>
            planDeployment({ ...asked, pools: [system as PoolRequest, ...some] });
          const kept = pools.flatMap((pool) => {
            const alone = planOn([pool]);
            return rulesOf(alone).length > 0 ? [] : [{ pool, usd: alone.cost.monthlyUsd }];
          });
          const least = Math.min(...kept.map(({ usd }) => usd));
          const zones = Math.max(...kept.flatMap(({ pool, usd }) => (usd - least < 0.01 ? (pool.zones ?? 1) : [])));
          const together = planOn(pools);
          const chosen = pools.find(({ name }) => name === together.models[0]?.pool);
          if (kept.length === 0) {
            expect(rulesOf(together)).not.toEqual([]);
          } else {
            expect([rulesOf(together), chosen?.zones]).toEqual([[], zones]);
            expect(together.cost.monthlyUsd).toBeCloseTo(least, 2);
          }
        },
      ),
      { numRuns: atNight(25) },
    );
  });

  it("counts the head of Ray on the GPU nodes of its replicas: it takes no GPU, no node of its own, and its node counts once", () => {
    const chat = modelOf("llama-3.1-8b-instruct", {
      name: "chat",
      engine: "ray",
      engineVersion: "2.56.0",
      serviceLevel: { availability: 0.9 },
    });
    const on = (maxNodes: number) =>
      environmentOf([poolOf("g6e.4xlarge", maxNodes, { name: "l40s", zones: 1 })], [chat]);
    const [alone, beside] = [1, 2].map((maxNodes) => planDeployment(on(maxNodes)));
    for (const plan of [alone, beside]) {
      expect(rulesOf(plan as DeploymentPlan)).toEqual([]);
      expect(plan?.pools.find(({ name }) => name === "l40s")).toMatchObject({ minNodes: 1, gpusClaimed: 1 });
    }
    expect(textOf(planWithAdvice(on(1)), "availability")).toMatch(
      /One node lost leaves 0 of 1 replicas, one zone 0\. Without the node or zone of their head .* none of them is counted/,
    );
    expect(alone?.models[0]?.availability?.expected).toBeCloseTo(0.995 * 0.999, 12);
    expect(beside?.models[0]?.availability?.expected).toBeCloseTo(0.995 * (0.995 / 0.999) * 0.999, 12);
  });

  it("counts with uptimes that the environment states", () => {
    const stated = { uptime: { node: 0.9999, zone: 0.99995, region: 1 } };
    expect(nodesOf(planDeployment(request(0.999, {}, stated)))).toBe(1);
  });

  it("needs a node for each further replica where other models fill nodes of the pool", () => {
    const scaled = request(0.999, { maxReplicas: 4 }, { maxNodes: 3 });
    const other = modelOf("llama-3.1-8b-instruct", { name: "other" });
    expect(rulesOf(planDeployment(scaled))).toEqual([]);
    expect(rulesOf(planDeployment({ ...scaled, models: [...scaled.models, other] }))).toEqual([
      ["pool-capacity", "models.chat"],
    ]);
  });

  it("is named where it takes more nodes than the pool has", () => {
    expect(textOf(planDeployment(request(0.999, {}, { maxNodes: 1 })), "pool-capacity")).toContain(
      "availability 0.999 takes replicas on 2 nodes in 2 zones",
    );
  });
});

describe("advice", () => {
  it("names what a node and a zone cost, and the price of the next step", () => {
    const message = textOf(planWithAdvice(request(0.99)), "availability");
    expect(message).toContain(
      "chat answers 99.5 % of the time (1 of 2 needed, wherever there is room); 99 % is promised.",
    );
    expect(message).toContain("One node lost leaves 0 of 2 replicas, one zone 0.");
    expect(message).toMatch(
      /Next step: serviceLevel\.availability: 0\.999, replicas on 2 nodes in 2 zones, 99\.987 %: [\d,]+ USD a month instead of [\d,]+\./,
    );
  });

  it("says where the next step costs nothing", () => {
    const message = textOf(planWithAdvice(request(0.99, {}, { minNodes: 2 })), "availability");
    expect(message).toMatch(/Next step: .* 99\.987 %: at the same price\./);
  });

  it("says where one region has no more", () => {
    expect(textOf(planWithAdvice(request(0.9995)), "availability")).toContain("More than that takes a second region");
  });

  it("names the zones that nodes of others may be in", () => {
    const one = request(0.995, {}, { zones: 1 });
    const pools = one.pools.map((pool) => ({ ...pool, shape: { ...pool.shape, provider: "onprem" as const } }));
    expect(textOf(planWithAdvice({ ...one, pools }), "availability")).toMatch(
      /Next step: .*0\.999 and pools\.h100\.uptime\.zones: 2 .*, replicas on 2 nodes in 2 zones, 99\.98 %: at the same price\./,
    );
  });

  it.each([
    [
      "no second node of a cluster of one machine",
      0.99,
      { nodes: 1, zones: 1 },
      "takes a cluster of several machines.",
    ],
    ["no more zones than the pool may be in", 0.998, { nodes: 9, zones: 1 }, "takes a second region, or another pool."],
  ])("offers %s", (_, promised, most, text) => {
    const pool = { zones: 1, most, ...(most.nodes === 1 && { maxNodes: 1 }) };
    expect(textOf(planWithAdvice(request(promised, {}, pool)), "availability")).toContain(text);
  });

  it("names no price where further nodes have none", () => {
    const message = textOf(planWithAdvice(request(0.99, {}, { usdPerNodeHour: 0 })), "availability");
    expect(message).toContain("a price that is not known (pools.h100.usdPerNodeHour)");
  });

  it("offers nothing at what the region is promised for, however many zones there are", () => {
    const ocean = request(0.9995, { minReplicas: 4, maxReplicas: 4 }, { zones: 6, maxNodes: 8 });
    expect(textOf(planWithAdvice(ocean), "availability")).toContain("More than that takes a second region");
  });

  it("says that a promise of pods of two kinds is not planned", () => {
    const split = { engineSettings: { prefillDecode: { prefill: 1, decode: 1 } } };
    expect(textOf(planWithAdvice(request(0.99, split)), "availability")).toContain(
      "nothing is planned by its availability",
    );
  });
});
