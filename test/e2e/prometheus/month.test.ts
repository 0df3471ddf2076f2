/** A month's plan beside its bill: the recording rules and the queries of `npm run cost`, in Prometheus' own engine, against sums by hand. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Costed, compare } from "../../../cli/cost/compare";
import { type CostAnswers, costQueries, figuresOf } from "../../../cli/cost/figures";
import { cost } from "../../../components/observability/rules/cost";
import { models } from "../../../components/observability/rules/models";
import { plannedCost } from "../../../components/observability/rules/planned-cost";
import { OF_NOBODY } from "../../../names/cost-series";
import { byHand, HOURS, monthSeries, PER_HOUR, PLANNED } from "./month/month";
import { answersOf } from "./month/prometheus";

const EVERY_MINUTES = 60 / PER_HOUR;

/** One node of four GPUs; two replicas of `chat` and one of `mail` hold three of them. */
const PLAN = {
  pools: PLANNED.map((pool) => ({
    ...pool,
    shape: pool.role === "gpu" ? { gpu: { count: 4 } } : {},
    gpusClaimed: pool.role === "gpu" ? 3 : 0,
    gpusTotal: pool.role === "gpu" ? 4 : 0,
  })),
  models: [
    { name: "chat", pool: "gpu", minReplicas: 2, monthlyUsd: (8 * 730 * 2) / 3 },
    { name: "mail", pool: "gpu", minReplicas: 1, monthlyUsd: (8 * 730) / 3 },
  ],
  cost: { monthlyUsd: 8.5 * 730, services: [], notPriced: [] },
} as unknown as Costed;

describe("a month's plan beside its bill", () => {
  let answers: CostAnswers;
  const hand = byHand();
  const report = () => compare(PLAN, figuresOf(answers, EVERY_MINUTES * 60));

  beforeAll(() => {
    answers = answersOf(
      {
        subjects: [
          plannedCost({ pools: PLANNED, cost: { services: [] }, models: [] }, [{ model: "chat", names: ["qwen"] }]),
          models,
          cost,
        ],
        series: monthSeries(),
        minutes: HOURS * 60 - EVERY_MINUTES,
        every: EVERY_MINUTES,
      },
      costQueries(30),
    );
  }, 400_000);

  it("costs by the hour what is added up by hand", () => {
    const { total, pools, models: found, hours } = figuresOf(answers, EVERY_MINUTES * 60);
    expect(hours).toBe(HOURS);
    expect(total).toBeCloseTo(hand.total, 6);
    expect(pools.get("gpu")?.usd).toBeCloseTo(hand.gpu, 6);
    expect(pools.get("gpu")?.nodes).toBeCloseTo(hand.nodes, 6);
    expect(pools.get("gpu")?.unclaimed).toBeCloseTo(hand.idle, 6);
    expect(found.get("chat")?.allocated.get("gpu")).toBeCloseTo(hand.chat, 6);
    expect(found.get("chat")?.replicas).toBeCloseTo(hand.replicas, 6);
    expect(found.get("mail")?.allocated.get("gpu")).toBeCloseTo(hand.mail, 6);
  });

  it("is shared out to tenants, whose figures sum up to the cost", () => {
    const { tenants, total } = figuresOf(answers, EVERY_MINUTES * 60);
    const of = (name: string) => tenants.find(({ tenant }) => tenant === name)?.usd ?? 0;
    const sum = tenants.reduce((all, { usd }) => all + usd, 0);
    expect(Math.abs(sum - total) / total).toBeLessThan(0.01);
    expect(of(OF_NOBODY.idle)).toBeCloseTo(hand.idle, 6);
    expect(of(OF_NOBODY.shared)).toBeCloseTo(0.5, 6);
    expect(of("batch")).toBeCloseTo(hand.batch, 6);
    expect(of("web") + of("batch") + of(OF_NOBODY.unallocated)).toBeCloseTo(hand.chat + hand.mail, 6);
  });

  it("explains every difference above 5 %, by effects that add up to it", () => {
    const { total, pools, models: lines } = report();
    const off = [total, ...pools, ...lines].filter(
      ({ differenceUsd, planUsd }) => Math.abs(differenceUsd) > 0.05 * planUsd,
    );
    expect(off.map(({ name }) => name)).toEqual(["total", "gpu", "chat", "mail"]);
    for (const { why, differenceUsd, planUsd, name } of off) {
      const explained = why.reduce((sum, { usd }) => sum + usd, 0);
      expect(Math.abs(explained - differenceUsd), name).toBeLessThan(0.01 * planUsd);
      expect(why.map(({ text }) => text).join(), name).not.toContain("pulumi up");
    }
    expect(pools.find(({ name }) => name === "gpu")?.why[0]?.text).toContain("chat ran");
  });

  it("says so where the deployed plan has other prices", () => {
    const [gpu, ...others] = PLAN.pools;
    const dearer = { ...PLAN, pools: gpu ? [{ ...gpu, monthlyUsd: 2 * gpu.monthlyUsd }, ...others] : [] } as Costed;
    const { pools } = compare(dearer, figuresOf(answers, EVERY_MINUTES * 60));
    expect(JSON.stringify(pools)).toContain("pulumi up");
  });
});
