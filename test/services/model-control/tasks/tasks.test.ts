import type { JobState } from "bullmq";
import { describe, expect, it } from "vitest";
import { laneOfId, newTaskId, reportOf, type TaskJob } from "../../../../services/model-control/src/tasks/job";
import { deduplicationKey, jobOptions } from "../../../../services/model-control/src/tasks/lanes";
import { ProgressTeller, percentOf } from "../../../../services/model-control/src/tasks/progress";
import { config } from "../api";

describe("progress", () => {
  it("leaves the last per cents to loading", () => {
    expect(percentOf({ totalBytes: 0, completedBytes: 0 })).toBe(0);
    expect(percentOf({ totalBytes: 200, completedBytes: 100 })).toBe(47);
    expect(percentOf({ totalBytes: 200, completedBytes: 200 })).toBe(95);
    expect(percentOf({ totalBytes: 200, completedBytes: 900 })).toBe(95);
  });

  it("tells what grows, and not too often", () => {
    let now = 0;
    const told: number[] = [];
    const teller = new ProgressTeller((percent) => told.push(percent), { start: 10, intervalMs: 500, now: () => now });
    const report = (completedBytes: number, at: number) => {
      now = at;
      teller.report({ totalBytes: 95, completedBytes });
    };
    report(5, 0);
    report(20, 0);
    report(30, 499);
    report(31, 500);
    report(15, 2000);
    report(31, 3000);
    report(95, 4000);
    expect(told).toEqual([20, 31, 95]);
  });
});

describe("tasks in the queue", () => {
  it("are found by their id alone", () => {
    expect(laneOfId(newTaskId("pull"))).toBe("pulls");
    expect(laneOfId(newTaskId("load"))).toBe("operations");
    expect(laneOfId(newTaskId("stop"))).toBe("operations");
    for (const id of ["", "pull", "pull-1", "drop-6f1de5a3-64b8-4ed9-9d7b-3a0b4b3b8f0e", `${newTaskId("pull")}:lock`]) {
      expect(laneOfId(id)).toBeUndefined();
    }
  });

  it("are the same when they do the same", () => {
    const keys = [
      { kind: "pull", model: "a:1", load: true },
      { kind: "pull", model: "a:1", load: false },
      { kind: "pull", model: "a:1", load: true, worker: "w1" },
      { kind: "pull", model: "b:1", load: true },
      { kind: "load", model: "a:1" },
      { kind: "stop", worker: "w1" },
      { kind: "start", worker: "w1" },
    ] as const;
    expect(new Set(keys.map(deduplicationKey)).size).toBe(keys.length);
  });

  it("are tried again with growing pauses", () => {
    const lanes = config({ pulls: { attempts: 3, backoffSeconds: 2 } });
    expect(jobOptions("id", { kind: "stop", worker: "w1" }, lanes)).toMatchObject({
      jobId: "id",
      attempts: 3,
      backoff: { type: "exponential", delay: 2000 },
      removeOnComplete: { age: 86_400, count: 1000 },
    });
  });

  it.each<[JobState, Partial<TaskJob>, object]>([
    ["waiting", {}, { state: "queued", progress: 0, error: undefined }],
    ["delayed", { failedReason: "no answer" }, { state: "queued", error: "no answer" }],
    ["active", { progress: 42 }, { state: "running", progress: 42 }],
    ["completed", { progress: 42, returnvalue: "w2" }, { state: "completed", progress: 100, worker: "w2" }],
    ["failed", { failedReason: "no room" }, { state: "failed", error: "no room" }],
    ["active", cancelled(), { state: "failed", error: "cancelled" }],
    ["waiting", cancelled(), { state: "failed", error: "cancelled" }],
    ["completed", cancelled(), { state: "completed", error: undefined }],
  ])("in state %s with %j are reported as %j", (state, changes, expected) => {
    const job = { id: "x", data: pull(), opts: {}, attemptsMade: 0, timestamp: 0, progress: 0, ...changes };
    expect(reportOf(job as unknown as TaskJob, state)).toMatchObject(expected);
  });
});

function pull() {
  return { kind: "pull", model: "a:1", load: true } as const;
}

function cancelled(): Partial<TaskJob> {
  return { data: { ...pull(), cancelled: true } };
}
