import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayName, nameLimits, tenantsOf } from "../../planner/tenants";

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

  it("that name adapters may call these names alone, and the model itself where it is named too", () => {
    const models = {
      chat: { servedName: "chat-7b", adapters: { acme: "hf://x/a", zenith: "hf://x/z" } },
      canary: { revisionOf: { model: "chat" }, adapters: { acme: "hf://x/a2" } },
      legal: {},
    };
    const rights = (list: string[]) => tenantsOf({ web: { models: list } }, models)[0];
    expect(rights(["acme"])).toMatchObject({ models: ["chat"], names: { chat: ["acme"] } });
    expect(rights(["legal", "acme", "chat"])).toMatchObject({
      models: ["legal", "chat"],
      names: { chat: ["chat-7b", "acme"] },
    });
    expect(rights(["chat"])).toEqual({ name: "web", priority: "paid", models: ["chat"] });
    const aliased = { ...models, chat: { ...models.chat, aliases: ["gpt-4o"] } };
    expect(tenantsOf({ web: { models: ["acme", "chat"] } }, aliased)[0]?.names).toEqual({
      chat: ["chat-7b", "gpt-4o", "acme"],
    });
    const [web] = tenantsOf({ web: { models: ["acme"] } }, models);
    const all = tenantsOf({ web: { models: ["acme"] }, batch: {} }, models);
    expect(nameLimits("chat", all)).toEqual({ web: ["acme"] });
    expect(nameLimits("legal", all)).toBeUndefined();
    expect(["acme", "zenith", "chat-7b"].map((name) => web && mayName(web, "chat", name))).toEqual([
      true,
      false,
      false,
    ]);
  });
});
