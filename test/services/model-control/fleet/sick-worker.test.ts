/** One engine that is sick says nothing about the others: they are seen, used and told of as before. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HttpStub, type StubAnswer } from "../http-stub";
import { OllamaStub } from "../ollama-stub";
import { model, ollamaWorker, signal, testFleet } from "./fixture";

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

  test("the others are reported within the time that each has for itself", async () => {
    const { fleet, events } = testFleet([ollamaWorker("w0", sick.url), ollamaWorker("w1", well.url)]);
    const begun = performance.now();
    const workers = await fleet.workers(signal, 0.5);
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect(workers).toMatchObject([
      { name: "w0", state: "unreachable", problem: expect.stringMatching(/^w0: /) },
      { name: "w1", state: "running", models: ["ok:1"] },
    ]);
    expect(workers[0]?.problem?.length).toBeLessThan(1_000);
    expect(events).toContainEqual(expect.objectContaining({ type: "unreachable", worker: "w0" }));
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

  async function timed<T>(work: Promise<T>): Promise<readonly [T, number]> {
    const begun = performance.now();
    return [await work, performance.now() - begun];
  }

  test("a prompt does not wait for it whose model another one has in memory", async () => {
    const workers = [ollamaWorker("w0", sick.url), ollamaWorker("w1", well.url), ollamaWorker("w2", slow.url)];
    const { fleet, pull } = testFleet(workers);
    await pull("ok:1", { worker: "w1" });
    await pull("ok:1", { worker: "w2" });
    const [readiness, milliseconds] = await timed(fleet.readiness("ok:1", signal));
    // All that are well are there to choose from.
    expect(readiness).toEqual({ state: "ready", workers: ["w1", "w2"] });
    expect(milliseconds).toBeLessThan(3_000);
  });

  test("it is waited for where no other one has the model in memory: it may be the one that has", async () => {
    const { fleet } = testFleet([ollamaWorker("w0", sick.url), ollamaWorker("w1", well.url)]);
    const [readiness, milliseconds] = await timed(fleet.readiness("ok:1", signal));
    expect(readiness).toEqual({ state: "on_disk" });
    expect(milliseconds).toBeGreaterThan(7_000);
  }, 20_000);
});
