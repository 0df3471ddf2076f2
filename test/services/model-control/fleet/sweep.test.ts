import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { FleetOptions } from "../../../../services/model-control/src/fleet/create";
import type { WorkerSpec } from "../../../../services/model-control/src/fleet/workers";
import { HttpStub } from "../http-stub";
import { OllamaStub } from "../ollama-stub";
import { model, ollamaWorker, signal, type TestFleet, testFleet } from "./fixture";

const RULES = { seconds: 600, models: { "long:1": 3600, "kept:1": "never" } } as const;
const NAMES = ["short:1", "long:1", "kept:1", "pinned:1"];
const QWEN = "Qwen/Qwen3-8B";

describe("a sweep", () => {
  let stub: OllamaStub;
  let clock: number;

  beforeEach(async () => {
    clock = Date.UTC(2026, 10, 24);
    stub = await OllamaStub.listen(Object.fromEntries(NAMES.map((name) => [name, model(2)])));
  });
  afterEach(() => stub.close());

  function fleetOf(workers: readonly WorkerSpec[], more: Partial<FleetOptions> = {}): TestFleet {
    return testFleet(workers, {
      idle: RULES,
      now: () => new Date(clock),
      engineTimeouts: { noticeSeconds: 0.2, unloadSeconds: 0.2 },
      ...more,
    });
  }

  function pass(seconds: number): void {
    clock += seconds * 1000;
  }

  /** With all four loaded. */
  async function loadedFleet(): Promise<TestFleet> {
    const made = fleetOf([ollamaWorker("a", stub.url, { pins: ["pinned:1"] })]);
    for (const name of NAMES) {
      await made.pull(name);
    }
    return made;
  }

  async function leaveOf({ fleet }: TestFleet, name: string): Promise<unknown> {
    return (await fleet.model(name, signal)).placements[0]?.leave;
  }

  test("has what nobody used for its time leave, and nothing else", async () => {
    const made = await loadedFleet();
    pass(599);
    await made.fleet.sweep(signal);
    expect([...stub.loaded.keys()]).toEqual(NAMES);
    pass(1);
    await made.fleet.sweep(signal);
    expect([...stub.loaded.keys()]).toEqual(["long:1", "kept:1", "pinned:1"]);
    pass(3000);
    await made.fleet.sweep(signal);
    expect([...stub.loaded.keys()]).toEqual(["kept:1", "pinned:1"]);
    pass(1e9);
    await made.fleet.sweep(signal);
    expect([...stub.loaded.keys()]).toEqual(["kept:1", "pinned:1"]);
    expect(made.events.filter(({ type }) => type === "unloaded")).toEqual([
      { type: "unloaded", worker: "a", model: "short:1", reason: "idle" },
      { type: "unloaded", worker: "a", model: "long:1", reason: "idle" },
    ]);
  });

  test("is announced by each model's status", async () => {
    const made = await loadedFleet();
    expect(await leaveOf(made, "short:1")).toEqual({ unloadsAt: new Date(clock + 600_000) });
    expect(await leaveOf(made, "long:1")).toEqual({ unloadsAt: new Date(clock + 3_600_000) });
    expect(await leaveOf(made, "kept:1")).toEqual({ stays: "never" });
    expect(await leaveOf(made, "pinned:1")).toEqual({ stays: "pinned" });
    pass(600);
    await made.fleet.sweep(signal);
    expect(await made.fleet.model("short:1", signal)).toMatchObject({ state: "on_disk" });
    expect(await leaveOf(made, "short:1")).toBeUndefined();
  });

  test("counts a request past the API as use, and a load brings the model back", async () => {
    const made = await loadedFleet();
    pass(500);
    stub.use("short:1");
    await made.fleet.observe(signal);
    pass(599);
    await made.fleet.sweep(signal);
    expect(stub.loaded.has("short:1")).toBe(true);
    pass(1);
    await made.fleet.sweep(signal);
    expect(stub.loaded.has("short:1")).toBe(false);
    await made.pull("short:1");
    expect(await leaveOf(made, "short:1")).toEqual({ unloadsAt: new Date(clock + 600_000) });
  });

  test("leaves a model in the middle of a request, though nothing showed its use, and gives it its time anew", async () => {
    const made = await loadedFleet();
    stub.begin("short:1");
    stub.begin("short:1");
    pass(10_000);
    await made.fleet.sweep(signal);
    expect([...stub.loaded.keys()]).toEqual(["short:1", "kept:1", "pinned:1"]);
    expect(stub.leaving.size).toBe(0);
    expect(await leaveOf(made, "short:1")).toEqual({ unloadsAt: new Date(clock + 600_000) });
    // The end of one of two requests shows nothing either.
    stub.end("short:1");
    pass(600);
    await made.fleet.sweep(signal);
    expect(stub.loaded.has("short:1")).toBe(true);
    stub.end("short:1");
    await made.fleet.observe(signal);
    pass(600);
    await made.fleet.sweep(signal);
    expect(stub.loaded.has("short:1")).toBe(false);
  });

  test("a load keeps a model that was told to leave with the end of its last request", async () => {
    const made = await loadedFleet();
    stub.begin("short:1");
    // Cancelled before that end: nobody takes the word back.
    const cancel = new AbortController();
    const unload = made.fleet.unload("short:1", cancel.signal);
    await vi.waitUntil(() => stub.leaving.has("short:1"));
    cancel.abort(new Error("cancelled"));
    await expect(unload).rejects.toThrow("cancelled");
    await made.pull("short:1");
    stub.end("short:1");
    expect(stub.loaded.has("short:1")).toBe(true);
  });

  test("is done by one of several replicas, and sees what the others saw", async () => {
    const first = await loadedFleet();
    const second = fleetOf([ollamaWorker("a", stub.url, { pins: ["pinned:1"] })], { state: first.state });
    pass(300);
    stub.use("short:1");
    await second.fleet.observe(signal);
    pass(300);
    await first.fleet.sweep(signal);
    expect(stub.loaded.has("short:1")).toBe(true);
    pass(300);
    await Promise.all([first.fleet.sweep(signal), second.fleet.sweep(signal)]);
    expect(stub.loaded.has("short:1")).toBe(false);
    const left = [...first.events, ...second.events].filter(({ type }) => type === "unloaded");
    expect(left).toHaveLength(1);
  });

  test("does nothing on a worker that is stopped, and goes on past one that is sick", async () => {
    const sick = ollamaWorker("sick", "http://127.0.0.1:1");
    const made = fleetOf([sick, ollamaWorker("a", stub.url)]);
    await made.pull("short:1");
    pass(600);
    await made.state.withLease("a", 0, signal, (lease) =>
      made.state.setWorker(lease, { phase: "draining", rewarm: [] }),
    );
    await made.fleet.sweep(signal);
    expect(stub.loaded.has("short:1")).toBe(true);
    await made.state.withLease("a", 0, signal, (lease) =>
      made.state.setWorker(lease, { phase: "running", rewarm: [] }),
    );
    await made.fleet.sweep(signal);
    expect(stub.loaded.has("short:1")).toBe(false);
  });

  test("says that a model stays whose engine cannot let it go, and does not try again", async () => {
    const sleepless = await HttpStub.listen(({ path, method }) => {
      const answers: Record<string, unknown> = {
        "GET /v1/models": { data: [{ id: QWEN }] },
        "GET /is_sleeping": { is_sleeping: false },
        "POST /sleep?level=1&mode=wait": {},
      };
      const body = answers[`${method} ${path}`];
      return body === undefined ? { status: 404 } : { body };
    });
    const worker = { ...ollamaWorker("v", sleepless.url), backend: "vllm" as const, models: [QWEN] };
    const made = fleetOf([worker]);
    await made.fleet.observe(signal);
    expect(await leaveOf(made, QWEN)).toEqual({ unloadsAt: new Date(clock + 600_000) });
    pass(600);
    await made.fleet.sweep(signal);
    await made.fleet.sweep(signal);
    expect(await leaveOf(made, QWEN)).toEqual({ stays: "not_supported" });
    expect(made.events).toEqual([
      { type: "stays", worker: "v", model: QWEN, problem: expect.stringContaining("--enable-sleep-mode") },
    ]);
    expect(sleepless.asked.filter((asked) => asked.startsWith("POST"))).toHaveLength(1);
    await sleepless.close();
  });

  test("tells the time of an engine that lets models go by itself", async () => {
    const made = await loadedFleet();
    stub.keepAlive = 300_000;
    // The stub's clock is that of the machine.
    const used = stub.loaded.get("kept:1")?.getTime() ?? 0;
    clock = used;
    expect(await leaveOf(made, "kept:1")).toEqual({ unloadsAt: new Date(used + 300_000) });
  });
});
