import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createLogger } from "../../../../services/model-control/src/telemetry/logger";
import { Metrics } from "../../../../services/model-control/src/telemetry/metrics";
import { FakeFleet, worker } from "../fake-fleet";
import { FakeTasks } from "../fake-tasks";

describe("metrics", () => {
  it("measure requests, tasks, the queue and the workers", async () => {
    const metrics = new Metrics();
    const fleet = new FakeFleet();
    const tasks = new FakeTasks();
    metrics.observe(tasks, fleet);
    await tasks.submit({ kind: "stop", worker: "w1" }, { owner: "token:op" });
    metrics.answered("GET", "/models/*", 200, 0.01);
    metrics.finished("pull", "completed", 3);
    metrics.attemptFailed("pull");
    metrics.evicted("w1", "disk");
    const text = await metrics.read();
    for (const line of [
      'model_control_http_request_duration_seconds_count{method="GET",route="/models/*",status="200"} 1',
      'model_control_tasks_finished_total{kind="pull",outcome="completed"} 1',
      'model_control_tasks_finished_total{kind="load",outcome="failed"} 0',
      'model_control_task_attempts_failed_total{kind="pull"} 1',
      'model_control_task_duration_seconds_sum{kind="pull",outcome="completed"} 3',
      'model_control_evictions_total{worker="w1",from="disk"} 1',
      "model_control_queue_up 1",
      'model_control_tasks{state="queued"} 1',
      'model_control_worker_state{worker="w1",backend="ollama",state="running"} 1',
      'model_control_worker_memory_budget_bytes{worker="w1"} 100',
    ]) {
      expect(text.split("\n")).toContain(line);
    }
  });

  it("measure inference, and count refusals and failures from zero on", async () => {
    const metrics = new Metrics();
    metrics.observe(new FakeTasks(), new FakeFleet());
    const inference = metrics.observeInference(
      { waiting: async () => ({ tasks: 2, oldestSeconds: 7 }) },
      { inferenceCounts: async () => ({ queued: 2, running: 1 }) },
    );
    const answered = { model: "m", outcome: "stop", promptTokens: 3, completionTokens: 5 };
    inference.answered({ ...answered, waitedSeconds: 2, seconds: 4 });
    const text = await metrics.read();
    for (const line of [
      'model_control_http_request_duration_seconds_count{method="POST",route="/inference",status="503"} 0',
      'model_control_inference_tasks{state="waiting"} 2',
      'model_control_inference_tasks{state="running"} 1',
      "model_control_inference_oldest_waiting_seconds 7",
      'model_control_inference_answers_total{model="m",outcome="stop"} 1',
      'model_control_inference_answers_total{model="m",outcome="interrupted"} 0',
      'model_control_inference_answers_total{model="",outcome="error"} 0',
      'model_control_inference_tokens_total{model="m",direction="out"} 5',
      'model_control_inference_waiting_seconds_sum{model="m"} 2',
      'model_control_inference_answering_seconds_sum{model="m"} 4',
    ]) {
      expect(text.split("\n")).toContain(line);
    }
  });

  it("lose the series of inference while the queue does not answer", async () => {
    const metrics = new Metrics();
    metrics.observe(new FakeTasks(), new FakeFleet());
    const away = async () => {
      throw new Error("away");
    };
    metrics.observeInference({ waiting: away }, { inferenceCounts: away });
    const text = await metrics.read();
    expect(text).not.toMatch(/^model_control_inference_(tasks|oldest_waiting_seconds)/m);
  });

  it("say so when the queue or a worker is away, and forget old states", async () => {
    const metrics = new Metrics();
    const fleet = new FakeFleet();
    const tasks = new FakeTasks();
    metrics.observe(tasks, fleet);
    await metrics.read();
    tasks.away = new Error("away");
    fleet.workerReports = [worker("w1", "unreachable")];
    const text = await metrics.read();
    expect(text).toContain("model_control_queue_up 0");
    expect(text).not.toContain("model_control_tasks{");
    expect(text).toContain('state="unreachable"');
    expect(text).not.toContain('state="running"} 1');
  });
});

describe("log", () => {
  it("holds errors with their cause, and no secrets", () => {
    const lines: string[] = [];
    const log = createLogger(
      new Writable({
        write: (chunk, _encoding, done) => {
          lines.push(String(chunk));
          done();
        },
      }),
    );
    log.info({ token: "s3cret", headers: { authorization: "Bearer s3cret" }, deep: { password: "s3cret" } }, "hello");
    log.error({ error: new Error("outer", { cause: new Error("inner") }) }, "failed");
    log.error({ error: "text" }, "failed");
    expect(lines.join("")).not.toContain("s3cret");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: "info", msg: "hello", token: "(hidden)" },
      { level: "error", error: { message: "outer", cause: "inner", stack: expect.stringContaining("Error: outer") } },
      { error: "text" },
    ]);
  });
});
