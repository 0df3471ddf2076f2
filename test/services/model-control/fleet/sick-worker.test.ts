/** One engine that is sick says nothing about the others: they are seen, used and told of as before. */
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { HttpStub, type StubAnswer } from "../http-stub";
import { OllamaStub } from "../ollama-stub";
import { model, ollamaWorker, signal, type TestFleet, testFleet } from "./fixture";

/** Time stands still until a test moves it: what ends by itself has waited for no time limit, however slow the machine is. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
}
afterEach(() => {
  vi.useRealTimers();
});

/** Until each of these workers has been asked, and what it has is recorded. */
async function seen({ state }: TestFleet, ...workers: readonly string[]): Promise<void> {
  const recorded = vi.spyOn(state, "setModels");
  while (!workers.every((worker) => recorded.mock.calls.some(([name]) => name === worker))) {
    await turn();
  }
  await turn();
}

/** Whether a promise has an answer by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  // What a time limit ends takes a few turns to say so.
  for (let turns = 0; turns < 50; turns++) {
    await turn();
  }
  return settled;
}

const SICK: readonly (readonly [string, StubAnswer | "nothing"])[] = [
  ["500", { status: 500, body: { error: "sick" } }],
  ["404 with HTML", { status: 404, body: "<html>not found</html>" }],
  ["200 with HTML", { body: "<html>hello</html>" }],
  ["a redirect", { status: 302, body: "" }],
  ["null", { body: "null" }],
  ["wrong types", { body: { models: "none", version: 7 } }],
  ["100,000 models", { body: { models: Array.from({ length: 100_000 }, (_, i) => ({ name: `m${i}:1`, size: 1 })) } }],
  ["nothing", "nothing"],
];

describe.each(SICK)("while a worker answers %s", (_, answer) => {
  let sick: HttpStub;
  let well: OllamaStub;

  beforeEach(async () => {
    sick = await HttpStub.listen(() => (answer === "nothing" ? new Promise<StubAnswer>(() => undefined) : answer));
    well = await OllamaStub.listen({ "ok:1": model(8) });
    well.registry.set("new:1", model(4));
  });
  afterEach(() => Promise.all([sick.close(), well.close()]));

  test("the others are reported, and it is not later than the time that each has for itself", async () => {
    const found = testFleet([ollamaWorker("w0", sick.url), ollamaWorker("w1", well.url)]);
    stopTime();
    const report = found.fleet.workers(signal, 0.5);
    if (answer === "nothing") {
      await seen(found, "w1");
      vi.advanceTimersByTime(499);
      expect(await isSettled(report)).toBe(false);
      vi.advanceTimersByTime(1);
    }
    const workers = await report;
    expect(workers).toMatchObject([
      { name: "w0", state: "unreachable", problem: expect.stringMatching(/^w0: /) },
      { name: "w1", state: "running", models: ["ok:1"] },
    ]);
    expect(workers[0]?.problem?.length).toBeLessThan(1_000);
    expect(found.events).toContainEqual(expect.objectContaining({ type: "unreachable", worker: "w0" }));
  });
});

describe("beside a worker that answers 500", () => {
  let sick: HttpStub;
  let well: OllamaStub;

  beforeEach(async () => {
    sick = await HttpStub.listen(() => ({ status: 500, body: { error: "sick" } }));
    well = await OllamaStub.listen({ "ok:1": model(8) });
    well.registry.set("new:1", model(4));
  });
  afterEach(() => Promise.all([sick.close(), well.close()]));

  test("models are pulled, seen, unloaded and deleted on the others", async () => {
    const { fleet, pull } = testFleet([ollamaWorker("w0", sick.url), ollamaWorker("w1", well.url)]);
    expect(await pull("new:1")).toBe("w1");
    expect((await fleet.models(signal)).map(({ model: name }) => name)).toEqual(["new:1", "ok:1"]);
    expect(await fleet.model("ok:1", signal)).toMatchObject({ state: "on_disk" });
    await fleet.unload("new:1", signal);
    await fleet.purge("new:1", { force: false }, signal);
    expect([...well.onDisk.keys()]).toEqual(["ok:1"]);
  });

  test("a pull waits for a sick engine that is the only one: it is worth another try", async () => {
    const { pull } = testFleet([ollamaWorker("w0", sick.url)]);
    await expect(pull("new:1")).rejects.toMatchObject({ code: "engine_unavailable", retryable: true });
  });
});

describe("beside a worker that answers nothing", () => {
  let sick: HttpStub;
  let well: OllamaStub;
  let slow: OllamaStub;

  beforeEach(async () => {
    sick = await HttpStub.listen(() => new Promise<StubAnswer>(() => undefined));
    [well, slow] = await Promise.all([
      OllamaStub.listen({ "ok:1": model(8) }),
      OllamaStub.listen({ "ok:1": model(8) }),
    ]);
  });
  afterEach(() => Promise.all([sick.close(), well.close(), slow.close()]));

  test("a prompt waits half a second for it whose model another one has in memory", async () => {
    const workers = [ollamaWorker("w0", sick.url), ollamaWorker("w1", well.url), ollamaWorker("w2", slow.url)];
    const found = testFleet(workers);
    await found.pull("ok:1", { worker: "w1" });
    await found.pull("ok:1", { worker: "w2" });
    stopTime();
    const readiness = found.fleet.readiness("ok:1", signal);
    await seen(found, "w1", "w2");
    vi.advanceTimersByTime(499);
    expect(await isSettled(readiness)).toBe(false);
    vi.advanceTimersByTime(1);
    // All that are well are there to choose from.
    expect(await readiness).toEqual({ state: "ready", workers: ["w1", "w2"] });
  });

  test("it is waited for where no other one has the model in memory: it may be the one that has", async () => {
    const found = testFleet([ollamaWorker("w0", sick.url), ollamaWorker("w1", well.url)]);
    stopTime();
    const readiness = found.fleet.readiness("ok:1", signal);
    await seen(found, "w1");
    vi.advanceTimersByTime(7_999);
    expect(await isSettled(readiness)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await readiness).toEqual({ state: "on_disk" });
  });
});
