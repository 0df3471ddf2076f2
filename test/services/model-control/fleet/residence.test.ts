import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ModelPinned, NoRoom, NotSupported, UnknownModel } from "../../../../services/model-control/src/errors";
import { OllamaStub } from "../ollama-stub";
import { GIB, model, ollamaWorker, signal, testFleet } from "./fixture";

describe("a model finds its place", () => {
  let a: OllamaStub;
  let b: OllamaStub;

  beforeEach(async () => {
    a = await OllamaStub.listen({ "seven:7b": model(8), "thirteen:13b": model(16), "coder:7b": model(8) });
    b = await OllamaStub.listen();
    for (const stub of [a, b]) {
      stub.registry.set("new:1", model(4)).set("huge:1", model(40));
    }
  });
  afterEach(() => Promise.all([a.close(), b.close()]));

  test("where it is already, without another pull", async () => {
    const { pull, loaded } = testFleet([ollamaWorker("b", b.url), ollamaWorker("a", a.url)]);
    expect(await pull("seven:7b")).toBe("a");
    expect(await pull("seven:7b")).toBe("a");
    expect(await loaded()).toEqual({ a: ["seven:7b"], b: [] });
    expect([...a.asked, ...b.asked].filter((request) => request.includes("/api/pull"))).toEqual([]);
  });

  test("where the most memory is free, when no one has it", async () => {
    const { pull, fleet } = testFleet([ollamaWorker("a", a.url), ollamaWorker("b", b.url)]);
    await pull("seven:7b");
    expect(await pull("new:1")).toBe("b");
    expect(await fleet.model("new:1", signal)).toMatchObject({
      state: "loaded",
      pinned: false,
      placements: [{ worker: "b", state: "loaded", diskBytes: Math.round(2.4 * GIB), memoryBytes: 4 * GIB }],
    });
  });

  test("on the worker that was asked for, on disk alone when that is asked for", async () => {
    const { pull, fleet } = testFleet([ollamaWorker("a", a.url), ollamaWorker("b", b.url)]);
    expect(await pull("new:1", { worker: "a", load: false })).toBe("a");
    expect((await fleet.model("new:1", signal)).state).toBe("on_disk");
    await expect(pull("new:1", { worker: "c" })).rejects.toMatchObject({
      code: "unknown_worker",
      message: expect.stringMatching(/ c; .* a, b$/),
    });
  });

  test("the least recently used leaves for it", async () => {
    const { pull, evicted, loaded } = testFleet([ollamaWorker("a", a.url)]);
    await pull("seven:7b");
    await pull("coder:7b");
    await pull("seven:7b");
    await pull("thirteen:13b");
    expect(evicted()).toEqual(["a/coder:7b from memory"]);
    expect((await loaded()).a).toEqual(["seven:7b", "thirteen:13b"]);
  });

  test("requests past the API count as use, once they were observed", async () => {
    const { pull, evicted, fleet } = testFleet([ollamaWorker("a", a.url)]);
    await pull("seven:7b");
    await pull("coder:7b");
    a.use("seven:7b");
    await fleet.observe(signal);
    await pull("thirteen:13b");
    expect(evicted()).toEqual(["a/coder:7b from memory"]);
  });

  test("a replica that starts knows what was used last", async () => {
    const first = testFleet([ollamaWorker("a", a.url)]);
    await first.pull("coder:7b");
    await first.pull("seven:7b");
    await first.pull("coder:7b");
    const second = testFleet([ollamaWorker("a", a.url)], { state: first.state });
    await second.pull("thirteen:13b");
    expect(second.evicted()).toEqual(["a/seven:7b from memory"]);
  });

  test("a pinned model never leaves, however long ago it was used", async () => {
    const { pull, evicted, loaded } = testFleet([ollamaWorker("a", a.url, { pins: ["seven:7b"] })]);
    await pull("seven:7b");
    await pull("coder:7b");
    await pull("thirteen:13b");
    expect(evicted()).toEqual(["a/coder:7b from memory"]);
    expect((await loaded()).a).toEqual(["seven:7b", "thirteen:13b"]);
  });

  test("is refused with the numbers when pinned models hold the memory", async () => {
    const { pull } = testFleet([ollamaWorker("a", a.url, { memoryBytes: 17 * GIB, pins: ["seven:7b", "coder:7b"] })]);
    await pull("seven:7b");
    await pull("coder:7b");
    const refusal = pull("thirteen:13b");
    await expect(refusal).rejects.toThrow(NoRoom);
    await expect(refusal).rejects.toThrow(
      "no room for thirteen:13b: a: memory: needs 12.0 GiB, has 1.0 GiB free and 0.0 MiB that may leave of 17.0 GiB",
    );
  });

  test("one that turns out larger than it seemed sends others away afterwards", async () => {
    a.onDisk.set("context:1", model(17, 5));
    const { pull, evicted, loaded, state } = testFleet([ollamaWorker("a", a.url)]);
    await pull("seven:7b");
    await pull("context:1");
    expect(evicted()).toEqual(["a/seven:7b from memory"]);
    expect((await loaded()).a).toEqual(["context:1"]);
    expect((await state.sizes()).get("context:1")?.memoryBytes).toBe(17 * GIB);
  });

  test("one that turns out larger than the worker leaves itself, and is refused before the load next time", async () => {
    a.onDisk.set("context:1", model(30, 5));
    const { pull, loaded } = testFleet([ollamaWorker("a", a.url)]);
    await expect(pull("context:1")).rejects.toThrow("no memory for context:1 on a: needs 30.0 GiB");
    expect((await loaded()).a).toEqual([]);
    const loads = () => a.requests.filter(({ body }) => body.keep_alive === -1).length;
    expect(loads()).toBe(1);
    await expect(pull("context:1")).rejects.toThrow("no room for context:1: a: memory: needs 30.0 GiB");
    expect(loads()).toBe(1);
  });

  test("leaves memory and disk when it is told to, also a pinned one", async () => {
    const { pull, fleet } = testFleet([ollamaWorker("a", a.url, { pins: ["seven:7b"] }), ollamaWorker("b", b.url)]);
    await pull("seven:7b");
    await fleet.unload("seven:7b", signal);
    expect(await fleet.model("seven:7b", signal)).toMatchObject({ state: "on_disk", pinned: true });
    await pull("seven:7b");
    const refused = "seven:7b is pinned on a: the platform needs it; force=true deletes it anyway";
    await expect(fleet.purge("seven:7b", { force: false }, signal)).rejects.toThrow(new ModelPinned(refused));
    expect(a.onDisk.has("seven:7b")).toBe(true);
    await fleet.purge("seven:7b", { force: true }, signal);
    expect(await fleet.model("seven:7b", signal)).toMatchObject({ state: "absent", placements: [] });
    expect(a.loaded.size).toBe(0);
    await expect(fleet.unload("seven:7b", signal)).rejects.toThrow(new UnknownModel("no worker has seven:7b"));
    await expect(fleet.purge("seven:7b", { force: false }, signal)).rejects.toThrow(UnknownModel);
  });

  test("an unreachable worker takes nothing, and is named", async () => {
    const { pull, fleet } = testFleet([ollamaWorker("gone", "http://127.0.0.1:1"), ollamaWorker("b", b.url)]);
    expect(await pull("new:1")).toBe("b");
    const [gone] = await fleet.workers(signal);
    expect(gone).toMatchObject({
      name: "gone",
      state: "unreachable",
      problem: expect.stringContaining("ECONNREFUSED"),
    });
  });

  test("no worker that answers is an error, not an empty list", async () => {
    const { fleet, pull } = testFleet([ollamaWorker("gone", "http://127.0.0.1:1")]);
    await expect(fleet.models(signal)).rejects.toMatchObject({ code: "engine_unavailable", retryable: true });
    await expect(fleet.model("new:1", signal)).rejects.toMatchObject({ code: "engine_unavailable" });
    await expect(pull("new:1")).rejects.toMatchObject({ code: "engine_unavailable" });
  });

  test("engines that cannot fetch are not asked to", async () => {
    const { pull } = testFleet([{ ...ollamaWorker("t", b.url), backend: "triton" }]);
    await b.close();
    await expect(pull("new:1")).rejects.toMatchObject({ code: "engine_unavailable" });
    const vllm = await import("../http-stub").then(({ HttpStub }) =>
      HttpStub.listen(({ path }) =>
        path === "/v1/models" ? { body: { data: [{ id: "Qwen/Qwen3-8B" }] } } : { status: 404 },
      ),
    );
    const workers = [{ ...ollamaWorker("v", vllm.url), backend: "vllm" as const, models: ["Qwen/Qwen3-8B"] }];
    const fleet = testFleet(workers);
    expect(await fleet.pull("Qwen/Qwen3-8B")).toBe("v");
    await expect(fleet.pull("new:1")).rejects.toThrow(
      new NotSupported("new:1 is on no worker, and vllm cannot fetch models at run time"),
    );
    await vllm.close();
    b = await OllamaStub.listen();
  });

  test("workers report their budgets and their use", async () => {
    const { pull, fleet } = testFleet([ollamaWorker("a", a.url, { diskBytes: 100 * GIB })]);
    await pull("seven:7b");
    expect(await fleet.workers(signal)).toEqual([
      {
        name: "a",
        loaded: ["seven:7b"],
        backend: "ollama",
        state: "running",
        version: "0.32.15",
        gpu: true,
        memory: { budgetBytes: 24 * GIB, usedBytes: 8 * GIB },
        disk: { budgetBytes: 100 * GIB, usedBytes: 2 * model(8).diskBytes + model(16).diskBytes },
        models: ["seven:7b", "thirteen:13b", "coder:7b"],
        problem: undefined,
      },
    ]);
  });
});
