import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NoRoom } from "../../../../services/model-control/src/errors";
import { OllamaStub } from "../ollama-stub";
import { GIB, model, ollamaWorker, signal, testFleet } from "./fixture";

describe("a pull makes its room on the disk", () => {
  let ollama: OllamaStub;

  beforeEach(async () => {
    ollama = await OllamaStub.listen({ "old:1": model(8, 10), "newer:1": model(8, 10), "pinned:1": model(8, 10) });
    ollama.registry.set("new:1", model(8, 10)).set("huge:1", model(8, 60));
  });
  afterEach(() => ollama.close());

  test("by the models that are not loaded, the least recently used first", async () => {
    const { pull, evicted } = testFleet([ollamaWorker("a", ollama.url, { diskBytes: 35 * GIB, pins: ["pinned:1"] })]);
    await pull("old:1");
    await pull("new:1");
    expect(evicted()).toEqual(["a/newer:1 from disk"]);
    expect([...ollama.onDisk.keys()].sort()).toEqual(["new:1", "old:1", "pinned:1"]);
  });

  test("never by a model that is kept on the disk, though it may leave memory", async () => {
    const worker = ollamaWorker("a", ollama.url, { diskBytes: 35 * GIB, keeps: ["newer:1"], pins: ["pinned:1"] });
    const { pull, fleet, evicted } = testFleet([worker]);
    await pull("old:1");
    await pull("new:1");
    expect(evicted()).toEqual(["a/old:1 from disk"]);
    expect((await fleet.model("newer:1", signal)).pinned).toBe(false);
    await expect(fleet.purge("newer:1", { force: false }, signal)).rejects.toThrow(/newer:1 is pinned on a/);
    await fleet.purge("newer:1", { force: true }, signal);
    expect([...ollama.onDisk.keys()].sort()).toEqual(["new:1", "pinned:1"]);
  });

  test("never by a model that is kept or pinned in another spelling than the engine's", async () => {
    ollama.onDisk.set("kept:Q4_K_M", model(8, 10)).set("steady:Q8_0", model(8, 10));
    const worker = ollamaWorker("a", ollama.url, {
      diskBytes: 55 * GIB,
      keeps: ["Kept:Q4_K_M"],
      pins: ["Steady:Q8_0"],
    });
    const { pull, fleet, evicted } = testFleet([worker]);
    for (const name of ["old:1", "newer:1", "pinned:1"]) {
      await pull(name);
    }
    await pull("new:1");
    expect(evicted().join()).toContain("from disk");
    for (const name of ["Kept:Q4_K_M", "kept:q4_k_m", "steady:q8_0"]) {
      await expect(fleet.purge(name, { force: false }, signal)).rejects.toThrow(`${name} is pinned on a`);
    }
    expect([...ollama.onDisk.keys()]).toEqual(expect.arrayContaining(["kept:Q4_K_M", "steady:Q8_0"]));
  });

  test("by a loaded model when no other is left, which is unloaded first", async () => {
    const { pull, evicted } = testFleet([
      ollamaWorker("a", ollama.url, { diskBytes: 30 * GIB, pins: ["pinned:1", "newer:1"] }),
    ]);
    await pull("old:1");
    await pull("new:1");
    expect(evicted()).toEqual(["a/old:1 from disk"]);
    expect([...ollama.loaded.keys()]).toEqual(["new:1"]);
  });

  test("or ends, and nothing of it is listed", async () => {
    ollama.pullPause = 10;
    const { pull, fleet, evicted } = testFleet([ollamaWorker("a", ollama.url, { diskBytes: 40 * GIB })]);
    await expect(pull("huge:1")).rejects.toThrow(NoRoom);
    await expect(pull("huge:1")).rejects.toThrow(/no disk for huge:1 on a: needs 60\.0 GiB, has .* of 40\.0 GiB/);
    expect(evicted()).toEqual([]);
    expect((await fleet.model("huge:1", signal)).state).toBe("absent");
  });

  test("also when the model is there before the room for it is", async () => {
    const { pull, fleet } = testFleet([ollamaWorker("a", ollama.url, { diskBytes: 40 * GIB })]);
    await expect(pull("huge:1")).rejects.toThrow(NoRoom);
    expect(ollama.onDisk.has("huge:1")).toBe(false);
    expect((await fleet.model("huge:1", signal)).state).toBe("absent");
  });

  test("beside other pulls that run", async () => {
    ollama.registry.set("other:1", model(8, 10));
    ollama.pullPause = 8;
    const { pull, evicted } = testFleet([ollamaWorker("a", ollama.url, { diskBytes: 40 * GIB, pins: ["pinned:1"] })]);
    await Promise.all([pull("new:1", { load: false }), pull("other:1", { load: false })]);
    expect(evicted()).toHaveLength(1);
    expect(ollama.onDisk.size).toBe(4);
  });
});

describe("a pull that is cancelled", () => {
  let ollama: OllamaStub;

  beforeEach(async () => {
    ollama = await OllamaStub.listen();
    ollama.registry.set("new:1", model(8, 10)).set("next:1", model(8, 8));
    ollama.pullPause = 8;
  });
  afterEach(() => ollama.close());

  async function cancelled(after = 1): Promise<ReturnType<typeof testFleet>> {
    const test = testFleet([ollamaWorker("a", ollama.url, { diskBytes: 15 * GIB })]);
    const cancel = new AbortController();
    const onProgress = ({ completedBytes }: { completedBytes: number }) => {
      if (completedBytes >= after) {
        cancel.abort(new Error("cancelled"));
      }
    };
    await expect(test.fleet.pull("new:1", { load: true, onProgress }, cancel.signal)).rejects.toThrow("cancelled");
    return test;
  }

  test("shows while it runs, and is gone after it was discarded", async () => {
    const { fleet, pull } = testFleet([ollamaWorker("a", ollama.url)]);
    const running = pull("new:1");
    await expect
      .poll(() => fleet.model("new:1", signal))
      .toMatchObject({ state: "pulling", placements: [{ worker: "a", state: "pulling" }] });
    await running;
    await fleet.purge("new:1", { force: false }, signal);
    const test = await cancelled();
    await test.fleet.discard("new:1", signal);
    expect(await test.fleet.model("new:1", signal)).toMatchObject({ state: "absent", placements: [] });
  });

  test("goes even when the engine finished it in the last moment", async () => {
    const { fleet, events } = await cancelled();
    ollama.onDisk.set("new:1", model(8, 10));
    await fleet.discard("new:1", signal);
    expect(ollama.onDisk.size).toBe(0);
    expect(events).toContainEqual({ type: "purged", worker: "a", model: "new:1" });
  });

  test.each([true, false])("goes when it was cancelled after its last byte (load: %s)", async (load) => {
    const { fleet } = testFleet([ollamaWorker("a", ollama.url)]);
    const controller = new AbortController();
    const confirm = async () => controller.abort(new Error("cancelled"));
    const pulled = fleet.pull("new:1", { load, onProgress: () => undefined, confirm }, controller.signal);
    await expect(pulled).rejects.toThrow("cancelled");
    await fleet.discard("new:1", signal);
    expect(ollama.onDisk.size).toBe(0);
    expect(await fleet.model("new:1", signal)).toMatchObject({ state: "absent", placements: [] });
  });

  test("stays when it was complete before", async () => {
    const { fleet, pull } = testFleet([ollamaWorker("a", ollama.url)]);
    await pull("new:1", { load: false });
    await fleet.discard("new:1", signal);
    expect([...ollama.onDisk.keys()]).toEqual(["new:1"]);
  });

  test("stays when its pull could not say that it ended, and it was asked for again", async () => {
    const { fleet, pull, state } = testFleet([ollamaWorker("a", ollama.url)]);
    await pull("new:1", { load: false });
    await state.setPull("a", "new:1", { running: true, totalBytes: 9, completedBytes: 9 });
    await pull("new:1", { load: false });
    await fleet.discard("new:1", signal);
    expect([...ollama.onDisk.keys()]).toEqual(["new:1"]);
  });

  test("leaves parts that count until the pull is finished", async () => {
    const { fleet, pull } = await cancelled(8 * GIB);
    await fleet.discard("new:1", signal);
    const used = async () => (await fleet.workers(signal))[0]?.disk?.usedBytes;
    expect(await used()).toBe(8 * GIB);
    // It is refused before it has fetched anything, also on a machine that is busy.
    ollama.pullPause = 250;
    await expect(pull("next:1")).rejects.toThrow(
      "8.0 GiB are left of pulls that ended early: Ollama frees what is older than an hour when it starts",
    );
    ollama.pullPause = 8;
    await pull("new:1");
    expect(await used()).toBe(10 * GIB);
  });
});
