/** What becomes of the tasks of the model control API: real Redis, real Ollama, and the API's own bundle, once or twice. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ControlStand } from "./control-stand";
import { publishSlowly, tinyLlama } from "./registry";
import { ALICE, BOB } from "./start-api";

let stand: ControlStand;

beforeAll(async () => {
  stand = await ControlStand.start();
});
afterAll(() => stand?.stop());
beforeEach(async () => {
  await stand.stopReplicas();
  stand.registry.misbehaviour.bytesPerSecond = undefined;
});

/** A model that nobody has pulled yet; it takes `seconds` to fetch. */
function slowModel(name: string, seconds: number): string {
  return publishSlowly(stand.registry, name, { seconds, seed: stand.nextSeed() });
}

function manifestRequests(model: string): number {
  const path = `/v2/${model.slice(stand.registry.host.length + 1).replace(":", "/manifests/")}`;
  return stand.registry.requests.filter((request) => request.includes(path)).length;
}

describe("tasks", () => {
  it("are one for fifty pulls of a model at once, over two replicas, and show how far they are", async () => {
    const [first, second] = [await stand.replica(), await stand.replica()];
    const model = slowModel("fifty", 4);
    const ids = await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 ? first : second).pull(model)));
    expect(new Set(ids).size).toBe(1);
    const [id = ""] = ids;
    const seen: number[] = [];
    await first.taskThat(id, "completed", ({ state, progress }) => {
      seen.push(progress);
      return state === "completed";
    });
    expect(seen.some((progress) => progress > 0 && progress < 100)).toBe(true);
    expect([...seen].sort((a, b) => a - b)).toEqual(seen);
    expect(await second.task(id)).toMatchObject({ progress: 100, worker: "w1" });
    expect(manifestRequests(model)).toBe(1);
    expect(await first.pull(model)).not.toBe(id);
  });

  it("are cancelled on whatever replica they run, and can be asked for again", async () => {
    const [first, second] = [
      await stand.replica({ pulls: { concurrency: 1 } }),
      await stand.replica({ pulls: { concurrency: 1 } }),
    ];
    const running = slowModel("cancelled", 30);
    const waiting = slowModel("waiting", 30);
    const id = await first.pull(running);
    await first.taskThat(id, "under way", ({ progress }) => progress > 3);
    const queued = await first.pull(waiting);
    for (const task of [queued, id]) {
      // Each by both: the one that does not work on it must do as well.
      const { status, body } = await second.ask("DELETE", `/tasks/${task}`);
      expect([status, body.state, body.error]).toEqual([202, "failed", "cancelled"]);
      expect((await first.ask("DELETE", `/tasks/${task}`)).status).toBe(202);
    }
    await Promise.any([first, second].map((api) => api.process.waitForOutput(new RegExp(`${id}.*task cancelled`), 5)));
    expect(await first.task(id)).toMatchObject({ state: "failed", error: "cancelled" });
    expect(await first.task(queued)).toMatchObject({ state: "failed", error: "cancelled" });
    expect((await first.ask("GET", `/models/${running}/status`)).body).toMatchObject({ state: "absent" });
    stand.registry.misbehaviour.bytesPerSecond = undefined;
    const again = await second.pull(running);
    expect(again).not.toBe(id);
    expect(await second.ended(again)).toMatchObject({ state: "completed" });
    expect((await second.ask("DELETE", `/tasks/${again}`)).body).toMatchObject({ status: 409, code: "task_finished" });
  });

  it("are tried again when that may help, and only then", async () => {
    const api = await stand.replica({ pulls: { attempts: 5, backoffSeconds: 0.5 } });
    await stand.ollama.process.kill();
    const id = await api.pull(stand.registry.publish("retried:latest", tinyLlama({ seed: stand.nextSeed() })));
    const waiting = await api.taskThat(id, "tried once", ({ attempts }) => attempts.made > 0);
    expect(waiting.error).toMatch(/did not answer/);
    await stand.ollama.process.start();
    const retried = await api.ended(id);
    expect(retried).toMatchObject({ state: "completed" });
    expect(retried).not.toHaveProperty("error");

    await stand.ollama.process.kill();
    const hopeless = await api.pull(stand.registry.publish("hopeless:latest", tinyLlama({ seed: stand.nextSeed() })));
    expect(await api.ended(hopeless)).toMatchObject({ state: "failed", attempts: { made: 5 } });
    await stand.ollama.process.start();

    const unknown = await api.ended(await api.pull(`${stand.registry.host}/library/unknown:latest`));
    expect(unknown).toMatchObject({ state: "failed", attempts: { made: 1 } });
    expect(unknown.error).toMatch(/unknown|manifest|exist/);
  });

  it("run as many at once as the configuration says, over all replicas", async () => {
    const [first, second] = [
      await stand.replica({ pulls: { concurrency: 2 } }),
      await stand.replica({ pulls: { concurrency: 2 } }),
    ];
    const models = ["one", "two", "three", "four"].map((name) => slowModel(name, 3));
    // One caller alone leaves a slot to others.
    const ids = await Promise.all(
      models.map((model, i) => (i % 2 ? first : second).pull(model, {}, i < 2 ? ALICE : BOB)),
    );
    let most = 0;
    const states = async () => Promise.all(ids.map((id) => first.task(id)));
    for (let before = await states(); ; ) {
      const now = await states();
      // One may end and another one begin while they are read: what runs in two readings ran between them.
      most = Math.max(most, now.filter(({ state }, i) => state === "running" && before[i]?.state === "running").length);
      before = now;
      if (now.every(({ state }) => state === "completed")) {
        break;
      }
      expect(now.map(({ state }) => state)).not.toContain("failed");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(most).toBe(2);
  });
});
