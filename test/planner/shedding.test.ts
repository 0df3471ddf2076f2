import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { freeRequests } from "../../planner/shedding";

const limits = { parallelRequests: 307 };

describe("requests of free consumers", () => {
  it.each([
    ["half of what a replica works on", 1, 8, 4],
    ["of all that always run", 3, 8, 12],
    ["of the first, where none always runs", 0, 8, 4],
    ["one, where there is no half", 1, 1, 1],
  ])("are %s", (_, minReplicas, concurrency, most) => {
    expect(freeRequests([{ name: "chat", minReplicas, concurrency }], limits).byModel).toEqual({ chat: most });
  });

  it("halves them where a model has a second way, by its nodes", () => {
    const model = { name: "chat", minReplicas: 2, concurrency: 16 };
    expect(freeRequests([{ ...model, node: { group: "cluster" } }], limits).byModel).toEqual({ chat: 8 });
    const few = { name: "chat", minReplicas: 1, concurrency: 2, node: { group: "cluster" } };
    expect(freeRequests([few], limits).byModel).toEqual({ chat: 1 });
  });

  it("are half of what a proxy passes on to a server of others", () => {
    expect(freeRequests([], limits)).toEqual({ byModel: {}, elsewhere: 153 });
  });

  it("leave paying ones a place in every model that works on two requests or more", () => {
    const plan = fc.record({
      name: fc.constant("chat"),
      minReplicas: fc.integer({ min: 0, max: 64 }),
      concurrency: fc.integer({ min: 1, max: 4096 }),
    });
    fc.assert(
      fc.property(plan, (model) => {
        const places = Math.max(1, model.minReplicas) * model.concurrency;
        const { chat = 0 } = freeRequests([model], limits).byModel;
        expect(chat).toBeGreaterThanOrEqual(1);
        expect(places < 2 || chat <= places / 2).toBe(true);
      }),
    );
  });
});
