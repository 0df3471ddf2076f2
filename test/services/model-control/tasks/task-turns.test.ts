import { describe, expect, it } from "vitest";
import type { TaskJob } from "../../../../services/model-control/src/tasks/job";
import type { LaneConfig } from "../../../../services/model-control/src/tasks/lanes";
import { TaskTurns } from "../../../../services/model-control/src/tasks/task-turns";

const pull = (id: string, owners: readonly string[]) => ({ id, data: { kind: "pull", owners } }) as unknown as TaskJob;

/** A server that knows in whose slot pull 1 runs. */
const heldBy = (holder: string | undefined) => ({
  zscore: (key: string) => Promise.resolve(key.endsWith(`:${holder}`) ? "1" : null),
});

describe("a pull that runs", () => {
  it.each([
    ["another owner's", ["A"], "A", ["C"], true],
    ["another owner's that its own has joined", ["A"], "A", ["C", "A"], true],
    ["its own owner's", ["A"], "A", ["A"], false],
    ["a joiner's own", ["A", "C"], "A", ["C"], true],
    ["the first owner's, in a joiner's slot", ["A", "C"], "C", ["A"], true],
    ["a joiner's own, in its slot", ["A", "C"], "C", ["C"], false],
    ["its own owner's, and there is no slot", ["A", "C"], undefined, ["A"], false],
    ["one of the same owners", ["A", "C"], "A", ["C", "A"], false],
    ["one of some of its owners", ["A", "B", "C"], "A", ["A", "C"], false],
    ["one that another owner shares", ["A", "C"], "A", ["A", "C", "D"], true],
    ["nobody's", ["A"], "A", [], false],
  ])("makes room where %s waits: %j in the slot of %s, %j", async (_, owners, holder, waiting, yields) => {
    const config = { pulls: { timeoutSeconds: 60, queued: 10, concurrency: 2 } } as LaneConfig;
    const queue = { getJobs: () => Promise.resolve([pull("2", waiting)]), getJob: () => Promise.resolve(undefined) };
    const turns = new TaskTurns(heldBy(holder) as never, "pulls", config, queue as never);
    expect(await turns.othersWait(pull("1", owners))).toBe(yields);
  });

  it("makes no room for one of the same owners where the second joined while it ran", async () => {
    const config = { pulls: { timeoutSeconds: 60, queued: 10, concurrency: 2 } } as LaneConfig;
    const both = ["A", "C"];
    const queue = { getJobs: () => Promise.resolve([pull("2", both)]), getJob: () => Promise.resolve(pull("1", both)) };
    const turns = new TaskTurns(heldBy("A") as never, "pulls", config, queue as never);
    expect(await turns.othersWait(pull("1", ["A"]))).toBe(false);
  });
});
