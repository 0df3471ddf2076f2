import { describe, expect, it } from "vitest";
import type { TaskData } from "../../../../services/model-control/src/tasks/job";
import { takeBack } from "../../../../services/model-control/src/tasks/take-back";
import { FakeFleet } from "../fake-fleet";

interface Task {
  readonly id: string;
  readonly data: TaskData;
}

const pull = (id: string, model: string, cancelled = false): Task => ({
  id,
  data: { kind: "pull", model, load: true, ...(cancelled && { cancelled }) },
});

/** What becomes of the fleet and of answers when a task is cancelled while these are unfinished. */
async function takenBack(task: Task, unfinished: readonly (Task | undefined)[] = [task]): Promise<string[]> {
  const fleet = new FakeFleet();
  const answers: string[] = [];
  const turns = {
    cancel: async (id: string, which: string) => {
      answers.push(`cancel ${id} ${which}`);
    },
  };
  const getJobs = (async () => [...unfinished]) as unknown as Parameters<typeof takeBack>[1]["pulls"]["getJobs"];
  await takeBack(task, { fleet, turns, pulls: { getJobs } });
  return [...fleet.calls, ...answers];
}

describe("a cancelled pull", () => {
  const mine = pull("1", "a:1", true);

  it.each([
    ["no other pull is there", [mine]],
    ["the list has it from before it was cancelled", [pull("1", "a:1")]],
    ["another pull wants another model", [mine, pull("2", "b:1")]],
    ["another pull of the model is cancelled too", [mine, pull("2", "a:1", true)]],
    ["a pull has ended since it was listed", [mine, undefined]],
  ])("discards what it has fetched where %s", async (_, unfinished) => {
    expect(await takenBack(mine, unfinished)).toEqual(["discard a:1"]);
  });

  it("leaves to another pull of the model what it has fetched, until that one is cancelled", async () => {
    expect(await takenBack(mine, [mine, pull("2", "b:1"), pull("3", "a:1")])).toEqual([]);
    const last = pull("3", "a:1", true);
    expect(await takenBack(last, [mine, last])).toEqual(["discard a:1"]);
  });
});

describe("a cancelled task", () => {
  it.each<[string, TaskData, string[]]>([
    ["stop: its worker takes work again", { kind: "stop", worker: "w1" }, ["resume w1"]],
    ["start: nothing", { kind: "start", worker: "w1" }, []],
    ["load: nothing", { kind: "load", model: "a:1" }, []],
    ["inference: all its answers end", { kind: "inference", model: "a:1", id: "1" }, ["cancel 1 all"]],
  ])("of kind %s", async (_, data, done) => {
    expect(await takenBack({ id: "1", data })).toEqual(done);
  });
});
