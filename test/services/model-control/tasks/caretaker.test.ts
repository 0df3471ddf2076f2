import fc from "fast-check";
import pino from "pino";
import { describe, expect, it } from "vitest";
import { Caretaker } from "../../../../services/model-control/src/tasks/caretaker";
import type { TaskReport } from "../../../../services/model-control/src/tasks/task";

const helper = (id: string, model?: string): TaskReport => ({
  id,
  kind: model === undefined ? "start" : "pull",
  model,
  state: "queued",
  progress: 0,
  attempts: { made: 0, allowed: 5 },
  createdAt: new Date(0),
});

/** A queue in memory, and the inference tasks that wait for it. */
function lookedAfter(helpers: TaskReport[], surplus: number[] = []) {
  const waiting = { models: new Set<string>(), helpers: new Set<string>() };
  const abandoned: string[] = [];
  const looks = { wanted: 0 };
  const tasks = {
    helpers: async () => helpers.filter(({ id }) => !abandoned.includes(id)),
    abandon: async (id: string) => abandoned.push(id) > 0,
    forgetSurplus: async () => surplus.shift() ?? 0,
  };
  const wanted = async () => {
    looks.wanted += 1;
    return waiting;
  };
  const caretaker = new Caretaker({ tasks, wanted, log: pino({ level: "silent" }) });
  return { caretaker, waiting, abandoned, looks };
}

describe("helpers", () => {
  it("are cancelled at the second look at which nobody waits for them, and nothing is asked where there are none", async () => {
    const { caretaker, waiting, abandoned } = lookedAfter([helper("pull-1", "a:1"), helper("start-1")]);
    waiting.models.add("a:1");
    waiting.helpers.add("start-1");
    await caretaker.look();
    waiting.helpers.clear();
    await caretaker.look();
    expect(abandoned).toEqual([]);
    await caretaker.look();
    expect(abandoned).toEqual(["start-1"]);
    waiting.models.clear();
    await caretaker.look();
    // Somebody asks again in the last moment.
    waiting.models.add("a:1");
    await caretaker.look();
    waiting.models.clear();
    await caretaker.look();
    expect(abandoned).toEqual(["start-1"]);
    await caretaker.look();
    expect(abandoned).toEqual(["start-1", "pull-1"]);
    const none = lookedAfter([]);
    await none.caretaker.look();
    expect(none.looks.wanted).toBe(0);
  });

  it("are cancelled where there is no inference any more", async () => {
    const gone: string[] = [];
    const tasks = {
      helpers: async () => [helper("pull-1", "a:1")],
      abandon: async (id: string) => gone.push(id) > 0,
      forgetSurplus: async () => 0,
    };
    const caretaker = new Caretaker({ tasks, log: pino({ level: "silent" }) });
    await caretaker.look();
    await caretaker.look();
    expect(gone).toEqual(["pull-1"]);
  });

  it("go exactly when nobody waited for them at two looks in a row, in any order of things", async () => {
    const names = ["a:1", "b:1", "c:1"];
    const step = fc.subarray(names);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (sequence) => {
        const { caretaker, waiting, abandoned } = lookedAfter(names.map((name) => helper(`pull-${name}`, name)));
        const missed = new Map(names.map((name) => [name, 0]));
        for (const wanted of sequence) {
          waiting.models.clear();
          for (const name of names) {
            if (wanted.includes(name)) {
              waiting.models.add(name);
            }
            const before = missed.get(name) ?? 0;
            missed.set(name, before >= 2 ? before : wanted.includes(name) ? 0 : before + 1);
          }
          await caretaker.look();
          expect(new Set(abandoned)).toEqual(
            new Set(names.filter((name) => (missed.get(name) ?? 0) >= 2).map((name) => `pull-${name}`)),
          );
        }
      }),
    );
  });
});

it("what is more than may wait is forgotten until nothing is", async () => {
  const surplus = [1000, 1000, 3];
  const { caretaker } = lookedAfter([], surplus);
  await caretaker.look();
  expect(surplus).toEqual([]);
});
