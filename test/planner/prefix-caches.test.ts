import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { prefixCaches } from "../../planner/prefix-caches";
import type { Tenant } from "../../planner/tenants";

const tenant = (name: string, models?: readonly string[]): Tenant => ({
  name,
  priority: "paid",
  ...(models && { models }),
});
const [web, batch, partner] = [tenant("web"), tenant("batch"), tenant("partner")];

describe("prefix caches", () => {
  it("fall into a part for each consumer that may call the model", () => {
    expect(prefixCaches("chat", [web, batch, partner], [])).toEqual({ parts: 3, shared: [] });
    expect(prefixCaches("chat", [web, tenant("batch", ["other"])], [])).toBeUndefined();
    expect(prefixCaches("chat", [web], [])).toBeUndefined();
  });

  it("have one part for those that share, as far as they may call the model", () => {
    const share = [["web", "batch"]];
    expect(prefixCaches("chat", [web, batch, partner], share)).toEqual({ parts: 2, shared: share });
    expect(prefixCaches("chat", [web, batch], share)).toBeUndefined();
    expect(prefixCaches("chat", [web, tenant("batch", ["other"]), partner], share)).toEqual({ parts: 2, shared: [] });
  });

  it("are counted so that those who share are one", () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 8 });
    fc.assert(
      fc.property(names, fc.integer({ min: 0, max: 8 }), (all, cut) => {
        const share = [all.slice(0, cut), all.slice(cut)].filter((group) => group.length > 1);
        const groups = all.map((name) => share.find((group) => group.includes(name))?.join() ?? name);
        const parts = new Set(groups).size;
        expect(
          prefixCaches(
            "chat",
            all.map((name) => tenant(name)),
            share,
          )?.parts ?? 1,
        ).toBe(Math.max(1, parts));
      }),
    );
  });
});
