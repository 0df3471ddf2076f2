import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quotasOf } from "../../planner/quotas";
import { tenantsOf } from "../../planner/tenants";

const limit = fc.option(fc.integer({ min: 1, max: 1_000_000 }), { nil: undefined });
const consumers = fc.dictionary(
  fc.stringMatching(/^[a-z][a-z0-9-]{0,10}[a-z0-9]$/),
  fc.record({ requestsPerMinute: limit, tokensPerMinute: limit }),
);

describe("quotasOf", () => {
  it("is empty where nobody is limited", () => {
    expect(quotasOf(tenantsOf(["web", "batch"]))).toEqual([]);
    expect(quotasOf(tenantsOf({ web: {}, batch: { models: ["chat"], priority: "free" } }))).toEqual([]);
  });

  it("has each limit once, with its tenant and amount", () => {
    fc.assert(
      fc.property(consumers, (named) => {
        const quotas = quotasOf(tenantsOf(named));
        const stated = Object.entries(named).flatMap(([tenant, limits]) => [
          ...(limits.requestsPerMinute ? [`${tenant} requests ${limits.requestsPerMinute}`] : []),
          ...(limits.tokensPerMinute ? [`${tenant} tokens ${limits.tokensPerMinute}`] : []),
        ]);
        expect(quotas.map(({ tenant, kind, perMinute }) => `${tenant} ${kind} ${perMinute}`)).toEqual(stated);
      }),
    );
  });
});
