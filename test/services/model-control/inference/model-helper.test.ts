import { describe, expect, it } from "vitest";
import { QueueFull, TooManyQueued } from "../../../../services/model-control/src/errors";
import type { Readiness } from "../../../../services/model-control/src/fleet/fleet";
import { helpAlong } from "../../../../services/model-control/src/inference/model-helper";
import { CANCELLED, type TaskReport, UNWANTED } from "../../../../services/model-control/src/tasks/task";
import { FakeTasks } from "../fake-tasks";

type NotReady = Exclude<Readiness, { state: "ready" }>;

const TASK = {
  owner: "token:me",
  model: "m:1",
  createdAt: 0,
  prompts: 1,
  maxTokens: 8,
  seconds: 9,
  mayPull: true,
  mayStart: true,
};
const ABSENT: NotReady = { state: "absent" };

/** What the task that helps is by now. */
function told(tasks: FakeTasks, change: Partial<TaskReport>): void {
  for (const [id, report] of tasks.reports) {
    tasks.reports.set(id, { ...report, ...change });
  }
}

describe("a model that cannot answer yet", () => {
  it.each([
    [ABSENT, { kind: "pull", model: "m:1", load: true }],
    [{ state: "on_disk" }, { kind: "load", model: "m:1" }],
    [
      { state: "asleep", worker: "w1" },
      { kind: "start", worker: "w1" },
    ],
  ] as const)("is brought by a task where one can: %o", async (readiness, request) => {
    const tasks = new FakeTasks();
    const help = await helpAlong(tasks, TASK, readiness, undefined);
    expect(tasks.requests).toEqual([request]);
    expect(help).toMatchObject({ helper: `${request.kind}-1` });
  });

  it.each([
    [{ state: "pulling" }, "pulling"],
    [{ state: "starting", worker: "w1" }, "w1 is starting"],
    [{ state: "unreachable", worker: "w1" }, "w1 cannot be reached"],
  ] as const)("is waited for where nothing is to be done: %o", async (readiness, step) => {
    const tasks = new FakeTasks();
    expect(await helpAlong(tasks, TASK, readiness, undefined)).toEqual({ step });
    expect(tasks.requests).toEqual([]);
  });

  it("is asked for once, however often one looks, and says how far it is", async () => {
    const tasks = new FakeTasks();
    const first = await helpAlong(tasks, TASK, ABSENT, undefined);
    expect(first).toEqual({ step: "waiting for its pull", helper: "pull-1", inLine: true });
    told(tasks, { state: "running", progress: 40 });
    const next = await helpAlong(tasks, TASK, ABSENT, "pull-1");
    expect(next).toEqual({ step: expect.stringMatching(/^pulling \d+ %$/), helper: "pull-1" });
    expect(tasks.requests).toHaveLength(1);
    expect(tasks.askers).toEqual([{ owner: "token:me", forInference: true }]);
    // Between two tries it has had its turn.
    told(tasks, { state: "queued", attempts: { made: 1, allowed: 5 } });
    expect(await helpAlong(tasks, TASK, ABSENT, "pull-1")).toEqual({ step: "waiting for its pull", helper: "pull-1" });
  });

  it("is asked for again when what brought it is done, or forgotten, and it is not there", async () => {
    const tasks = new FakeTasks();
    await helpAlong(tasks, TASK, ABSENT, undefined);
    told(tasks, { state: "completed" });
    expect(await helpAlong(tasks, TASK, { state: "on_disk" }, "pull-1")).toEqual({
      step: "waiting for its load",
      helper: "load-2",
      inLine: true,
    });
    expect(await helpAlong(tasks, TASK, ABSENT, "pull-99")).toMatchObject({ helper: "pull-3" });
  });

  it("is asked for again when nobody had waited for what brings it, and is given up when somebody cancelled that", async () => {
    const tasks = new FakeTasks();
    await helpAlong(tasks, TASK, ABSENT, undefined);
    told(tasks, { state: "failed", error: UNWANTED });
    expect(await helpAlong(tasks, TASK, ABSENT, "pull-1")).toMatchObject({ helper: "pull-2" });
    told(tasks, { state: "failed", error: CANCELLED });
    expect(await helpAlong(tasks, TASK, ABSENT, "pull-2")).toEqual({ error: "the pull of m:1 failed: cancelled" });
  });

  it.each([new TooManyQueued("50 pulls of this caller are unfinished", 5), new QueueFull("500 pulls are unfinished")])(
    "is waited for where the queue has no room for what brings it: $code",
    async (full) => {
      const tasks = new FakeTasks();
      tasks.full = full;
      const help = await helpAlong(tasks, TASK, ABSENT, undefined);
      expect(help).toEqual({ step: "waiting for room in the queue of pulls and loads", inLine: true });
    },
  );

  it("is given up with the reason that its task failed for", async () => {
    const tasks = new FakeTasks();
    await helpAlong(tasks, TASK, ABSENT, undefined);
    told(tasks, { state: "failed", error: "the registry has no model m:1" });
    const help = await helpAlong(tasks, TASK, ABSENT, "pull-1");
    expect(help).toEqual({ error: "the pull of m:1 failed: the registry has no model m:1" });
  });

  it("has a worker that somebody stopped started for who may do that, and waits for it where not", async () => {
    const stopped: NotReady = { state: "stopped", worker: "w1" };
    const may = new FakeTasks();
    expect(await helpAlong(may, TASK, stopped, undefined)).toEqual({
      step: "waking w1",
      helper: "start-1",
      inLine: true,
    });
    expect(may.requests).toEqual([{ kind: "start", worker: "w1" }]);
    const mayNot = new FakeTasks();
    const help = await helpAlong(mayNot, { ...TASK, mayStart: false }, stopped, undefined);
    expect(help).toEqual({ step: "w1 is stopped until a user starts it" });
    expect(mayNot.requests).toEqual([]);
  });

  it("is not pulled for who may not, but loaded, woken, and waited for while others pull it", async () => {
    const may = async (readiness: NotReady) => {
      const tasks = new FakeTasks();
      const help = await helpAlong(tasks, { ...TASK, mayPull: false }, readiness, undefined);
      return [tasks.requests.length, "error" in help];
    };
    expect(await may(ABSENT)).toEqual([0, true]);
    expect(await may({ state: "pulling" })).toEqual([0, false]);
    expect(await may({ state: "on_disk" })).toEqual([1, false]);
    expect(await may({ state: "asleep", worker: "w1" })).toEqual([1, false]);
  });

  it("says nothing when the queue is away: the error is the caller's", async () => {
    const tasks = new FakeTasks();
    tasks.away = new Error("away");
    await expect(helpAlong(tasks, TASK, ABSENT, "pull-1")).rejects.toThrow("away");
  });
});
