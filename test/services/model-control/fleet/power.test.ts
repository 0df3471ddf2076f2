import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WorkerStopped } from "../../../../services/model-control/src/errors";
import type { ScaleTarget } from "../../../../services/model-control/src/fleet/workers";
import { HttpStub } from "../http-stub";
import { OllamaStub } from "../ollama-stub";
import { MemoryScaler, model, ollamaWorker, signal, testFleet } from "./fixture";

const TARGET: ScaleTarget = { namespace: "ollama", kind: "StatefulSet", name: "ollama" };

describe("stopping and starting a worker", () => {
  let ollama: OllamaStub;

  beforeEach(async () => {
    ollama = await OllamaStub.listen({ "seven:7b": model(8), "coder:7b": model(8) });
    ollama.registry.set("new:1", model(4));
  });
  afterEach(() => ollama.close());

  test("refuses new work, frees the memory, and loads the same models again", async () => {
    const { fleet, pull } = testFleet([ollamaWorker("a", ollama.url)]);
    await pull("seven:7b");
    await fleet.stop("a", signal);
    expect(ollama.loaded.size).toBe(0);
    expect((await fleet.workers(signal))[0]).toMatchObject({ state: "stopped", models: ["seven:7b", "coder:7b"] });
    await expect(pull("coder:7b")).rejects.toThrow(new WorkerStopped("no worker takes new work: a is stopped"));
    await fleet.start("a", signal);
    expect([...ollama.loaded.keys()]).toEqual(["seven:7b"]);
    expect((await fleet.workers(signal))[0]?.state).toBe("running");
  });

  test("each may be done twice", async () => {
    const { fleet, pull } = testFleet([ollamaWorker("a", ollama.url)]);
    await fleet.start("a", signal);
    await pull("seven:7b");
    await fleet.stop("a", signal);
    await fleet.stop("a", signal);
    await fleet.start("a", signal);
    await fleet.start("a", signal);
    expect([...ollama.loaded.keys()]).toEqual(["seven:7b"]);
  });

  test("waits for a pull that runs", async () => {
    ollama.pullPause = 30;
    const { fleet, pull } = testFleet([ollamaWorker("a", ollama.url)]);
    const running = pull("new:1", { load: false });
    await expect.poll(async () => (await fleet.model("new:1", signal)).state).toBe("pulling");
    await fleet.stop("a", signal);
    expect(await running).toBe("a");
    expect(ollama.onDisk.has("new:1")).toBe(true);
  });

  test("ends a pull that takes too long", async () => {
    ollama.pullPause = 300;
    const { fleet, pull } = testFleet([ollamaWorker("a", ollama.url)], {
      times: { drainSeconds: 0.1, pullBeatSeconds: 0.02 },
    });
    const running = pull("new:1");
    const ended = expect(running).rejects.toThrow(new WorkerStopped("a was stopped while new:1 was being pulled"));
    await expect.poll(async () => (await fleet.model("new:1", signal)).state).toBe("pulling");
    await fleet.stop("a", signal);
    await ended;
  });

  test("scales to zero and back to what it was", async () => {
    const scaler = new MemoryScaler();
    scaler.counts.set("ollama", 1);
    const { fleet, pull, state } = testFleet([ollamaWorker("a", ollama.url, { scale: TARGET, diskBytes: 1e12 })], {
      scaler,
    });
    await pull("seven:7b");
    await state.setPull("a", "begun:1", { running: false, totalBytes: 9, completedBytes: 5 });
    await fleet.stop("a", signal);
    expect(scaler.scaled).toEqual(["ollama to 0"]);
    const before = ollama.asked.length;
    expect(await fleet.model("seven:7b", signal)).toMatchObject({ state: "on_disk", placements: [{ worker: "a" }] });
    expect(await fleet.workers(signal)).toMatchObject([{ state: "stopped", models: ["seven:7b", "coder:7b"] }]);
    expect(ollama.asked.slice(before)).toEqual([]);
    await fleet.unload("seven:7b", signal);
    await expect(fleet.purge("seven:7b", { force: false }, signal)).rejects.toThrow(WorkerStopped);
    await fleet.start("a", signal);
    expect(scaler.scaled).toEqual(["ollama to 0", "ollama to 1"]);
    expect([...ollama.loaded.keys()]).toEqual(["seven:7b"]);
    expect((await state.pulls("a")).size).toBe(1);
    // Ollama removes old parts when it starts.
    state.leftoversAreSeconds = 3600;
    await fleet.stop("a", signal);
    await fleet.start("a", signal);
    expect((await state.pulls("a")).size).toBe(0);
  });

  test("replicas of one target go to zero together, and come back together", async () => {
    const scaler = new MemoryScaler();
    scaler.counts.set("ollama", 2);
    const { fleet } = testFleet(
      [ollamaWorker("a", ollama.url, { scale: TARGET }), ollamaWorker("b", ollama.url, { scale: TARGET })],
      { scaler },
    );
    await fleet.stop("a", signal);
    expect(scaler.scaled).toEqual([]);
    await fleet.stop("b", signal);
    expect(scaler.scaled).toEqual(["ollama to 0"]);
    await fleet.start("a", signal);
    expect(scaler.scaled).toEqual(["ollama to 0", "ollama to 2"]);
    expect((await fleet.workers(signal)).map(({ state }) => state)).toEqual(["running", "stopped"]);
  });

  test("an engine that is away is scaled to zero all the same", async () => {
    const scaler = new MemoryScaler();
    scaler.counts.set("ollama", 1);
    const { fleet } = testFleet([ollamaWorker("a", "http://127.0.0.1:1", { scale: TARGET })], { scaler });
    await fleet.stop("a", signal);
    expect(scaler.scaled).toEqual(["ollama to 0"]);
  });

  test.each([500, 404, 302])("a sick engine that answers %d is scaled to zero all the same", async (status) => {
    const sick = await HttpStub.listen(() => ({ status, body: { error: "sick" } }));
    const scaler = new MemoryScaler();
    scaler.counts.set("ollama", 1);
    const { fleet } = testFleet([ollamaWorker("a", sick.url, { scale: TARGET })], { scaler });
    await fleet.stop("a", signal);
    expect(scaler.scaled).toEqual(["ollama to 0"]);
    await sick.close();
  });

  test("a stop that fails leaves a worker that runs, not one that looks stopped", async () => {
    const sick = await HttpStub.listen(() => ({ status: 500, body: { error: "sick" } }));
    const { fleet, state } = testFleet([ollamaWorker("a", sick.url)]);
    await expect(fleet.stop("a", signal)).rejects.toMatchObject({ code: "engine_refusal" });
    expect((await state.worker("a")).phase).toBe("running");
    expect((await fleet.workers(signal))[0]?.state).toBe("unreachable");
    await sick.close();
  });

  test("a model that was deleted since the stop is forgotten, and fails no start", async () => {
    const { fleet, pull, state, events } = testFleet([ollamaWorker("a", ollama.url)]);
    await pull("seven:7b");
    await pull("coder:7b");
    await fleet.stop("a", signal);
    ollama.onDisk.delete("seven:7b");
    await fleet.start("a", signal);
    expect(events).toContainEqual({ type: "forgotten", worker: "a", model: "seven:7b" });
    expect(await state.worker("a")).toEqual({ phase: "running", rewarm: [] });
    expect([...ollama.loaded.keys()]).toEqual(["coder:7b"]);
  });

  test("replicas that nobody remembers are those of the configuration", async () => {
    const scaler = new MemoryScaler();
    scaler.counts.set("ollama", 3);
    const workers = [ollamaWorker("a", ollama.url, { scale: { ...TARGET, replicas: 3 } })];
    await testFleet(workers, { scaler }).fleet.stop("a", signal);
    // The same engines, after the volume of the queue was lost.
    await testFleet(workers, { scaler }).fleet.start("a", signal);
    expect(scaler.scaled).toEqual(["ollama to 0", "ollama to 3"]);
  });

  test("a stop that is cancelled while it waits lets the worker take work again", async () => {
    ollama.pullPause = 40;
    const { fleet, pull } = testFleet([ollamaWorker("a", ollama.url)], { times: { drainSeconds: 30 } });
    const running = pull("new:1", { load: false });
    await expect.poll(async () => (await fleet.model("new:1", signal)).state).toBe("pulling");
    const cancel = new AbortController();
    const stopping = expect(fleet.stop("a", cancel.signal)).rejects.toThrow("cancelled");
    await expect.poll(async () => (await fleet.workers(signal))[0]?.state).toBe("draining");
    cancel.abort(new Error("cancelled"));
    await stopping;
    await fleet.resume("a", signal);
    expect((await fleet.workers(signal))[0]?.state).toBe("running");
    expect(await pull("coder:7b")).toBe("a");
    await running;
    // What has stopped stays so.
    await fleet.stop("a", signal);
    await fleet.resume("a", signal);
    expect((await fleet.workers(signal))[0]?.state).toBe("stopped");
  });

  test("an engine that does not come up is said to be so", async () => {
    const scaler = new MemoryScaler();
    const { fleet } = testFleet([ollamaWorker("a", "http://127.0.0.1:1", { scale: TARGET })], { scaler });
    await fleet.stop("a", signal);
    await expect(fleet.start("a", signal)).rejects.toThrow(/^a does not answer 0.2 s after its start: .*ECONNREFUSED/);
    expect(scaler.scaled).toEqual(["ollama to 1"]);
    expect((await fleet.workers(signal))[0]).toMatchObject({
      state: "starting",
      problem: expect.stringContaining("a: "),
    });
  });

  test("what cannot be loaded again stays on the list for the next start", async () => {
    const { fleet, pull, state } = testFleet([ollamaWorker("a", ollama.url)]);
    await pull("seven:7b");
    await pull("coder:7b");
    await fleet.stop("a", signal);
    ollama.refusedLoads.set("seven:7b", "out of memory");
    await expect(fleet.start("a", signal)).rejects.toMatchObject({ code: "engine_refusal" });
    expect(await state.worker("a")).toEqual({ phase: "running", rewarm: ["seven:7b"] });
    expect([...ollama.loaded.keys()]).toEqual(["coder:7b"]);
    ollama.refusedLoads.clear();
    await fleet.start("a", signal);
    expect([...ollama.loaded.keys()].sort()).toEqual(["coder:7b", "seven:7b"]);
  });
});
