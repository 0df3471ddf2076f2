import { describe, expect, it } from "vitest";
import type { Caller } from "../../../../services/model-control/src/auth/callers";
import { Inferences } from "../../../../services/model-control/src/inference/inferences";
import { type Item, SILENCE, type StoredTask, WAITING } from "../../../../services/model-control/src/inference/record";
import type { TaskReport } from "../../../../services/model-control/src/tasks/task";

type Parts = ConstructorParameters<typeof Inferences>[0];

const ID = "inference-1";
const CALLER: Caller = { id: "me", scopes: ["infer"] };
const RUNNING: Item = { ...WAITING, state: "running", begun: true, attempts: 1 };
const DONE: Item = { ...RUNNING, state: "completed", finishReason: "stop", completionTokens: 2 };

function stored(item: Item, endedAt?: number, silence = 0): StoredTask {
  const task = {
    owner: "token:me",
    model: "m",
    createdAt: 0,
    prompts: 1,
    maxTokens: 8,
    seconds: 9,
    mayPull: true,
    mayStart: true,
  };
  return { task, items: [{ item, fence: 1, silence }], remaining: 1000, endedAt };
}

function report(state: TaskReport["state"]): TaskReport {
  const attempts = { made: 1, allowed: 3 };
  return { id: ID, kind: "inference", model: "m", state, progress: 0, attempts, createdAt: new Date(0) };
}

/** A task whose record, answer and job are looked at in turn: each look finds the next of them. */
function looked(...looks: readonly { readonly record: StoredTask; readonly text: string; readonly job: TaskReport }[]) {
  let look = -1;
  const abandoned: string[] = [];
  const now = () => looks[Math.min(look, looks.length - 1)];
  const parts = {
    store: {
      read: async () => {
        look += 1;
        return now()?.record;
      },
      answers: async () => new Map([[0, now()?.text]]),
    },
    tasks: { find: async () => now()?.job },
    turns: { abandon: async (_: string, error: string) => void abandoned.push(error) },
  };
  return { inferences: new Inferences(parts as unknown as Parts), abandoned, looks: () => look + 1 };
}

describe("a task that is looked at", () => {
  it("is never failed before it is completed: what it ends as follows from its record alone", async () => {
    const { record, job } = { record: stored(DONE, 5), job: report("running") };
    const rest: Item = { ...WAITING, state: "failed", finishReason: "error", problem: "model_not_ready" };
    const items = [...record.items, { item: rest, fence: 2, silence: 0 }];
    const batch = { ...record, items, error: "m was not ready" };
    for (const state of ["queued", "running", "completed"] as const) {
      const found = await looked({ record: batch, text: "one", job: { ...job, state } }).inferences.find(CALLER, ID);
      expect([state, found.report.state, found.error]).toEqual([state, "completed", "m was not ready"]);
    }
    const cancelled = { ...batch, error: "cancelled" };
    const found = await looked({ record: cancelled, text: "one", job }).inferences.find(CALLER, ID);
    expect([found.report.state, found.report.error]).toEqual(["failed", "cancelled"]);
  });

  it("shows its end and its answer together, also when it ends between the questions", async () => {
    const { inferences, abandoned } = looked(
      { record: stored(RUNNING), text: "on", job: report("completed") },
      { record: stored(DONE, 5), text: "one two", job: report("completed") },
    );
    const found = await inferences.find(CALLER, ID);
    expect(found.report.state).toBe("completed");
    expect(found.items).toEqual([{ ...DONE, text: "one two" }]);
    expect(abandoned).toEqual([]);
  });

  it("is looked at once while it runs, and once when it has ended", async () => {
    const running = looked({ record: stored(RUNNING), text: "on", job: report("running") });
    expect((await running.inferences.find(CALLER, ID)).items).toEqual([{ ...RUNNING, text: "on" }]);
    const ended = looked({ record: stored(DONE, 5), text: "one two", job: report("completed") });
    await ended.inferences.find(CALLER, ID);
    expect([running.looks(), ended.looks()]).toEqual([1, 1]);
  });

  it("is given up in its record when the queue has given it up", async () => {
    const lost: Item = { ...RUNNING, state: "failed", finishReason: "error", problem: "lost" };
    const { inferences, abandoned } = looked(
      {
        record: stored(RUNNING, undefined, SILENCE),
        text: "on",
        job: { ...report("failed"), error: "lost three times" },
      },
      { record: { ...stored(lost, 5), error: "lost three times" }, text: "on", job: report("failed") },
    );
    const found = await inferences.find(CALLER, ID);
    expect(abandoned).toEqual(["lost three times"]);
    expect([found.report.state, found.error]).toEqual(["failed", "lost three times"]);
    expect(found.items).toMatchObject([{ state: "failed", problem: "lost" }]);
  });

  it("runs until the answer that is being written has ended, though the queue has cancelled it", async () => {
    const cancelled = { ...report("failed"), error: "cancelled", finishedAt: new Date(9) };
    const { inferences, abandoned } = looked({ record: stored(RUNNING), text: "on", job: cancelled });
    const found = await inferences.find(CALLER, ID);
    expect([found.report.state, found.report.finishedAt, found.error]).toEqual(["running", undefined, undefined]);
    expect(abandoned).toEqual([]);
  });
});
