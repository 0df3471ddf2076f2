import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EngineUnavailable, QueueUnavailable } from "../../../../services/model-control/src/errors";
import type { Server } from "../../../../services/model-control/src/routes/surroundings";
import { type Asked, askApi, testApi } from "../api";
import { type FakeFleet, worker } from "../fake-fleet";
import type { FakeTasks } from "../fake-tasks";

let server: Server;
let fleet: FakeFleet;
let tasks: FakeTasks;

beforeEach(async () => {
  ({ server, fleet, tasks } = await testApi());
});
afterEach(() => server.close());

const ask = (...asked: Asked) => askApi(server, ...asked);

describe("health", () => {
  it("is told to anybody, check by check", async () => {
    fleet.workerReports = [worker("w1", "running", true, ["a:1"]), worker("w2", "unreachable")];
    const { status, body } = await ask("GET", "/health", undefined, {});
    expect(status).toBe(200);
    expect(body).toEqual({
      healthy: true,
      checks: {
        control_api: { ok: true, detail: "it answers" },
        queue: { ok: true, detail: "the task queue takes tasks" },
        backend: { ok: true, detail: "1 of 2 workers answer; unreachable: w2" },
        gpu_available: { ok: true, detail: "1 of 1 workers that report it compute on a GPU" },
        model_loaded: { ok: true, detail: "1 loaded" },
      },
    });
  });

  it("is bad while the queue is full: it answers, and takes nothing", async () => {
    tasks.away = new QueueUnavailable("the task queue at redis://inside cannot be reached: OOM command not allowed");
    const { status, body } = await ask("GET", "/health", undefined, {});
    expect(status).toBe(503);
    expect(body).toMatchObject({ checks: { queue: { ok: false, detail: "the task queue is full" } } });
  });

  it("tells of a model that is named whether that one is loaded", async () => {
    fleet.workerReports = [worker("w1", "running", true, ["a:latest"]), worker("w2", "running", true)];
    const asked = (name: string) => ask("GET", `/health?model=${encodeURIComponent(name)}`, undefined, {});
    expect(await asked("a")).toMatchObject({
      status: 200,
      body: {
        checks: { model_loaded: { ok: true, detail: "a:latest is loaded on 1 of 2 workers that answer" } },
      },
    });
    expect(await asked("b:1")).toMatchObject({
      status: 200,
      body: {
        healthy: true,
        checks: { model_loaded: { ok: false, detail: "b:1 is loaded on 0 of 2 workers that answer" } },
      },
    });
    expect((await asked("elsewhere.example/x/y")).status).toBe(422);
    expect((await ask("GET", "/health?modle=a", undefined, {})).status).toBe(400);
  });

  it("is bad without the queue, and says nothing of its address", async () => {
    tasks.away = new QueueUnavailable("the task queue at redis://inside cannot be reached");
    const { status, body } = await ask("GET", "/health", undefined, {});
    expect([status, JSON.stringify(body).includes("redis://inside")]).toEqual([503, false]);
    expect(body).toMatchObject({ healthy: false, checks: { queue: { ok: false }, backend: { ok: true } } });
  });

  it.each([
    ["no worker answers", [worker("w1", "unreachable", undefined)], 503, false],
    ["all are stopped on purpose", [worker("w1", "stopped")], 200, null],
    ["one of several answers", [worker("w1", "stopped"), worker("w2", "running", false)], 200, true],
  ])("when %s", async (_, reports, status, ok) => {
    fleet.workerReports = [...reports];
    expect(await ask("GET", "/health")).toMatchObject({ status, body: { checks: { backend: { ok } } } });
  });

  it("asks the engines once for many questions", async () => {
    await Promise.all(Array.from({ length: 20 }, () => ask("GET", "/health", undefined, {})));
    expect(fleet.calls.filter((call) => call === "workers")).toHaveLength(1);
  });

  it("keeps probes apart from what a restart does not cure", async () => {
    tasks.away = new QueueUnavailable("away");
    fleet.errors.set("workers", new EngineUnavailable("away"));
    for (const url of ["/livez", "/readyz"]) {
      expect(await ask("GET", url, undefined, {})).toMatchObject({ status: 200, body: { status: "ok" } });
    }
  });
});
