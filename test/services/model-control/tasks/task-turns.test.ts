import { describe, expect, it } from "vitest";
import type { TaskJob } from "../../../../services/model-control/src/tasks/job";
import type { LaneConfig } from "../../../../services/model-control/src/tasks/lanes";
import { TaskTurns } from "../../../../services/model-control/src/tasks/task-turns";

const pull = (id: string, owners: readonly string[]) => ({ id, data: { kind: "pull", owners } }) as unknown as TaskJob;

describe("a pull that runs", () => {
  it.each([
    ["another owner's", ["A"], ["C"], true],
    ["another owner's that its own has joined", ["A"], ["C", "A"], true],
    ["its own owner's", ["A"], ["A"], false],
    ["one of its owners'", ["A", "C"], ["C"], false],
    ["nobody's", ["A"], [], false],
  ])("makes room where %s waits: %j, %j", async (_, owners, waiting, yields) => {
    const config = { pulls: { timeoutSeconds: 60, queued: 10, concurrency: 2 } } as LaneConfig;
    const queue = { getJobs: () => Promise.resolve([pull("2", waiting)]), getJob: () => Promise.resolve(undefined) };
    const turns = new TaskTurns({} as never, "pulls", config, queue as never);
    expect(await turns.othersWait(pull("1", owners))).toBe(yields);
  });
});
