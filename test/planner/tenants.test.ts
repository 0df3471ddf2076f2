import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tenantsOf } from "../../planner/tenants";

const names = fc.uniqueArray(fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/), { minLength: 1, maxLength: 8 });

describe("tenants of an environment", () => {
  it("are the same, written as a list or as a mapping to nothing in particular", () => {
    fc.assert(
      fc.property(names, (list) => {
        expect(tenantsOf(Object.fromEntries(list.map((name) => [name, {}])))).toEqual(tenantsOf(list));
      }),
    );
  });

  it("keep their order and their limits, and pay unless they say otherwise", () => {
    const limits = { models: ["chat"], requestsPerMinute: 60, tokensPerMinute: 1000, priority: "free" } as const;
    expect(tenantsOf({ web: { priority: undefined }, batch: limits })).toEqual([
      { name: "web", priority: "paid" },
      { name: "batch", ...limits },
    ]);
  });
});
