import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Tenant } from "../../../planner/tenants";
import { adviseOnQuotas, type QuotasAndPlan } from "../../../stacks/advice/quotas";

type Model = QuotasAndPlan["models"][number];

function model(changes: Partial<Model> = {}): Model {
  const capacityTable = { tokensPerSecond: { from: 40, to: 100 } };
  return { name: "chat", contextTokens: 8192, concurrency: 8, maxReplicas: 2, capacityTable, ...changes };
}

function tenant(tokensPerMinute: number | undefined, changes: Partial<Tenant> = {}): Tenant {
  return { name: "web", priority: "paid", ...(tokensPerMinute !== undefined && { tokensPerMinute }), ...changes };
}

function rules(given: Partial<QuotasAndPlan>): string[] {
  return adviseOnQuotas({ tenants: [], models: [model()], external: [], ...given }).map(({ rule }) => rule);
}

/** 60 s × 100 tokens/s × 2 replicas × 8 requests. */
const SERVED = 96_000;

describe("advice on quotas of tokens", () => {
  it("says by how much quotas promise more than the plan serves", () => {
    expect(rules({ tenants: [tenant(SERVED)] })).toEqual([]);
    const [advice] = adviseOnQuotas({
      tenants: [tenant(SERVED), tenant(SERVED, { name: "batch" })],
      models: [model()],
      external: [],
    });
    expect(advice?.rule).toBe("quotas-beyond-the-plan");
    expect(advice?.message).toContain("add up to 192,000 a minute");
    expect(advice?.message).toContain("at most some 96,000");
    expect(advice?.message).toContain("less than 50 %");
  });

  it("is silent where a speed is not known, or servers of others answer", () => {
    const tenants = [tenant(10 * SERVED)];
    expect(rules({ tenants, models: [model(), model({ name: "vectors", capacityTable: undefined })] })).toEqual([]);
    expect(rules({ tenants, external: ["elsewhere"] })).toEqual([]);
    const named = [tenant(10 * SERVED, { models: ["chat"] })];
    expect(rules({ tenants: named, external: ["elsewhere"] })).toEqual(["quotas-beyond-the-plan"]);
  });

  it("counts canaries as their model's", () => {
    const canary = model({ name: "chat-next", revisionOf: { model: "chat", weight: 10 } });
    expect(rules({ tenants: [tenant(2 * SERVED, { models: ["chat"] })], models: [model(), canary] })).toEqual([]);
  });

  it("names a quota that one prompt uses up, by the smallest context that the tenant may use", () => {
    const models = [model(), model({ name: "long", contextTokens: 131_072 })];
    expect(rules({ tenants: [tenant(8192)], models })).toEqual([]);
    expect(rules({ tenants: [tenant(8191)], models })).toEqual(["quota-smaller-than-a-prompt"]);
    expect(rules({ tenants: [tenant(8192, { models: ["long"] })], models })).toEqual(["quota-smaller-than-a-prompt"]);
    expect(rules({ tenants: [tenant(undefined)], models })).toEqual([]);
  });

  it("a larger quota promises no less, and more replicas serve no less", () => {
    const beyond = (quota: number, maxReplicas: number) =>
      rules({ tenants: [tenant(quota)], models: [model({ maxReplicas })] }).includes("quotas-beyond-the-plan");
    const quota = fc.integer({ min: 1, max: 10_000_000 });
    const replicas = fc.integer({ min: 1, max: 64 });
    fc.assert(
      fc.property(quota, quota, replicas, replicas, (a, b, c, d) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        const [few, many] = [Math.min(c, d), Math.max(c, d)];
        expect(beyond(less, many) && !beyond(more, few)).toBe(false);
      }),
    );
  });
});
