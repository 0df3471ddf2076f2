/** What is left of pulls when the parts around them die: by the registry's own count, Ollama's own lists, and the clock. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { ControlStand } from "./control-stand";
import { tinyLlama } from "./registry";
import type { Api } from "./start-api";

const MEGABYTE = 1_000_000;

let stand: ControlStand;
let api: Api;

beforeAll(async () => {
  stand = await ControlStand.start();
});
afterAll(() => stand?.stop());
beforeEach(async () => {
  api = await stand.replica({ pulls: { backoffSeconds: 0.5, attempts: 3 } });
});
afterEach(async () => {
  stand.registry.misbehaviour.bytesPerSecond = undefined;
  await stand.stopReplicas();
});

interface Published {
  readonly model: string;
  /** First bytes of all downloads of its weights, in order: more than one when a download went on or began again. */
  readonly downloadedFrom: () => readonly number[];
}

/** A model that nobody has pulled yet. @param seconds for its weights; undefined for as fast as can be. */
function publish(name: string, seconds?: number): Published {
  const bytes = 3 * MEGABYTE;
  stand.registry.misbehaviour.bytesPerSecond = seconds === undefined ? undefined : bytes / seconds;
  const weights = tinyLlama({ seed: stand.nextSeed(), bytes });
  const digest = createHash("sha256").update(weights).digest("hex");
  const download = new RegExp(`^GET /download/sha256:${digest} bytes=(\\d+)-`);
  return {
    model: stand.registry.publish(`${name}:latest`, weights),
    downloadedFrom: () => stand.registry.requests.flatMap((request) => download.exec(request)?.[1] ?? []).map(Number),
  };
}

async function underWay(id: string, percent: number): Promise<void> {
  await api.taskThat(id, `at ${percent} %`, ({ state, progress }) => state === "running" && progress >= percent);
}

describe("a pull", () => {
  it("goes on where it was after the API was killed, and brings a model that answers", async () => {
    const { model, downloadedFrom } = publish("killed", 20);
    const id = await api.pull(model);
    await underWay(id, 30);
    await api.process.kill();
    expect(await stand.listedBy("/api/tags")).not.toContain(model);
    await api.process.start();
    await waitFor("the download to go on", async () => (downloadedFrom().length > 1 ? true : undefined), 20);
    stand.registry.misbehaviour.bytesPerSecond = undefined;
    expect(await api.ended(id)).toMatchObject({ state: "completed", progress: 100, worker: "w1" });
    // Ollama asks again for the rest of a download that seems to stand still: never from its first byte.
    const [begun, ...continued] = downloadedFrom();
    expect(begun).toBe(0);
    expect(Math.min(...continued)).toBeGreaterThan(0.2 * 3 * MEGABYTE);
    const body = JSON.stringify({ model, prompt: "hello", stream: false, options: { num_predict: 3 } });
    const answer = await fetch(`${stand.ollama.url}/api/generate`, { method: "POST", body });
    expect(await answer.json()).toMatchObject({ done: true, eval_count: 3 });
  });

  it("is one download for fifty callers at once, in whatever spelling, loaded or not", async () => {
    const { model, downloadedFrom } = publish("fifty", 3);
    const spellings = [model, model.replace(":latest", ""), `${model.replace(":latest", "")}:latest`];
    const asked = Array.from({ length: 50 }, (_, i) => api.pull(spellings[i % 3] ?? model, { load: i % 2 === 0 }));
    const ids = new Set(await Promise.all(asked));
    // One for those who want it in memory, one for those who want it on disk only.
    expect(ids.size).toBe(2);
    for (const id of ids) {
      expect(await api.ended(id)).toMatchObject({ state: "completed" });
    }
    expect(downloadedFrom()).toEqual([0]);
    expect(await stand.listedBy("/api/ps")).toContain(model);
  });

  it("leaves no model when it is cancelled, as early or late as it is", async () => {
    for (const percent of [0, 20, 50, 80]) {
      const { model } = publish(`cancelled-${percent}`, 6);
      const id = await api.pull(model);
      if (percent > 0) {
        await underWay(id, percent);
      }
      expect(await api.ask("DELETE", `/tasks/${id}`)).toMatchObject({ status: 202, body: { state: "failed" } });
      await waitFor(`${model} to be gone`, async () => {
        const { body } = await api.ask("GET", `/models/${model}/status`);
        return body.state === "absent" ? true : undefined;
      });
      // What the engine may still have been told to do has shown by then.
      await sleep(1_000);
      expect(await api.task(id)).toMatchObject({ state: "failed", error: "cancelled" });
      expect((await api.ask("GET", "/models")).body.models.map(nameOf)).not.toContain(model);
      expect(await stand.listedBy("/api/tags")).not.toContain(model);
    }
  });

  it("goes on when Ollama, killed in its midst, is back; and fails with the reason when it stays away", async () => {
    const returning = publish("returning", 10);
    const id = await api.pull(returning.model);
    await underWay(id, 20);
    await stand.ollama.process.kill();
    const waiting = await api.taskThat(id, "tried once", ({ attempts }) => attempts.made > 0);
    expect(waiting.error).toContain(stand.ollama.url);
    stand.registry.misbehaviour.bytesPerSecond = undefined;
    await stand.ollama.process.start();
    const done = await api.ended(id);
    expect(done).toMatchObject({ state: "completed" });
    expect(done).not.toHaveProperty("error");
    expect(await stand.listedBy("/api/ps")).toEqual([returning.model]);

    const lost = publish("lost", 10);
    const hopeless = await api.pull(lost.model);
    await underWay(hopeless, 20);
    await stand.ollama.process.kill();
    const failed = await api.ended(hopeless);
    await stand.ollama.process.start();
    expect(failed).toMatchObject({ state: "failed", attempts: { made: 3 } });
    expect(failed.error).toContain(`${stand.ollama.url} did not answer`);
    expect(await stand.listedBy("/api/tags")).not.toContain(lost.model);
  });
});

function nameOf({ model }: { readonly model: string }): string {
  return model;
}
