/** The fleet on a real Ollama, a real Redis, and a registry that behaves as it is told to. */
import { Redis as Client } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PullProgress } from "../../../services/model-control/src/backends/backend";
import { EngineUnavailable, NoRoom, UnknownModel } from "../../../services/model-control/src/errors";
import { createFleet } from "../../../services/model-control/src/fleet/create";
import type { FleetEvent } from "../../../services/model-control/src/fleet/events";
import type { Fleet } from "../../../services/model-control/src/fleet/fleet";
import { estimateMemory } from "../../../services/model-control/src/fleet/memory-need";
import { RedisFleetState } from "../../../services/model-control/src/fleet/redis-state";
import type { WorkerSpec } from "../../../services/model-control/src/fleet/workers";
import { type Ollama, type Redis, type Registry, startOllama, startRedis, startRegistry, tinyLlama } from "./registry";

const signal = new AbortController().signal;
const GIB = 1024 ** 3;
const MEGABYTE = 1_000_000;

describe("a fleet of one real Ollama", () => {
  let ollama: Ollama;
  let redis: Redis;
  let registry: Registry;
  let client: Client;
  let events: FleetEvent[] = [];

  function fleetOf(spec: Partial<WorkerSpec> = {}): Fleet {
    const worker = { name: "cpu", backend: "ollama", url: ollama.url, memoryBytes: 4 * GIB, pins: [] } as const;
    return createFleet({
      workers: [{ ...worker, ...spec }],
      state: new RedisFleetState(client),
      insecureRegistries: [registry.host],
      times: { startSeconds: 30, pullBeatSeconds: 0.5 },
      onEvent: (event) => events.push(event),
    });
  }

  function pull(fleet: Fleet, model: string, load = true, seen: PullProgress[] = []): Promise<string> {
    return fleet.pull(model, { load, onProgress: (progress) => seen.push(progress) }, signal);
  }

  async function generate(model: string): Promise<void> {
    const body = JSON.stringify({ model, prompt: "hello", stream: false, options: { num_predict: 2 } });
    const response = await fetch(`${ollama.url}/api/generate`, { method: "POST", body });
    expect(response.status).toBe(200);
  }

  async function loaded(): Promise<string[]> {
    const { models } = (await (await fetch(`${ollama.url}/api/ps`)).json()) as { models: { name: string }[] };
    return models.map(({ name }) => name).sort();
  }

  const evicted = () =>
    events.flatMap((event) => (event.type === "evicted" ? `${event.model} from ${event.from}` : []));

  beforeAll(async () => {
    [ollama, redis, registry] = await Promise.all([startOllama(), startRedis(), startRegistry()]);
    client = new Client(redis.url, { maxRetriesPerRequest: 0, commandTimeout: 1500 });
  });
  afterAll(async () => {
    client?.disconnect();
    await Promise.all([ollama?.stop(), redis?.stop(), registry?.stop()]);
  });
  beforeEach(() => {
    events = [];
  });
  afterEach(async () => {
    Object.assign(registry.misbehaviour, { bytesPerSecond: undefined, manifestStatus: undefined });
    const fleet = fleetOf();
    for (const { model } of await fleet.models(signal)) {
      await fleet.purge(model, { force: false }, signal);
    }
    await client.flushall();
  });

  it("pulls with progress, loads, and knows what it takes", async () => {
    const fleet = fleetOf();
    const model = registry.publish("slow:latest", tinyLlama({ bytes: 3 * MEGABYTE }));
    registry.misbehaviour.bytesPerSecond = 3 * MEGABYTE;
    const seen: PullProgress[] = [];
    expect(await pull(fleet, model, true, seen)).toBe("cpu");
    const completed = seen.map(({ completedBytes }) => completedBytes);
    expect(completed).toEqual([...completed].sort((a, b) => a - b));
    expect(new Set(completed).size).toBeGreaterThan(5);
    expect(seen.at(-1)?.completedBytes).toBe(seen.at(-1)?.totalBytes);
    const report = await fleet.model(model, signal);
    expect(report).toMatchObject({ model, state: "loaded", placements: [{ worker: "cpu" }] });
    expect(report.placements[0]?.diskBytes).toBeGreaterThan(3 * MEGABYTE);
    expect(report.placements[0]?.memoryBytes).toBeGreaterThan(3 * MEGABYTE);
    expect((await fleet.workers(signal))[0]).toMatchObject({
      state: "running",
      version: expect.any(String),
      gpu: false,
    });
    await generate(model);
  });

  it("unloads the least recently used, as clients use them, and never a pinned one", async () => {
    const [pinned, first, second, third] = [1, 2, 3, 4].map((seed) =>
      registry.publish(`lru-${seed}:latest`, tinyLlama({ seed })),
    ) as [string, string, string, string];
    const roomy = fleetOf({ pins: [pinned] });
    for (const model of [pinned, first, second]) {
      await pull(roomy, model);
    }
    await pull(roomy, third, false);
    await generate(first);
    await roomy.observe(signal);
    const report = await roomy.models(signal);
    const memory = report.flatMap(({ placements }) => placements).map(({ memoryBytes }) => memoryBytes ?? 0);
    const disk = report.find(({ model }) => model === third)?.placements[0]?.diskBytes ?? 0;
    const used = memory.reduce((sum, bytes) => sum + bytes, 0);
    // One byte short of what all four take, as far as is known before the fourth is loaded.
    const tight = fleetOf({ pins: [pinned], memoryBytes: used + estimateMemory(disk) - 1 });
    await pull(tight, third);
    expect(evicted()).toEqual([`${second} from memory`]);
    expect(await loaded()).toEqual([pinned, first, third].sort());
    await expect(pull(fleetOf({ pins: [pinned, first, third], memoryBytes: used }), second)).rejects.toThrow(NoRoom);
  });

  it("unloads and purges", async () => {
    const fleet = fleetOf();
    const model = registry.publish("tiny:latest");
    await pull(fleet, model);
    await fleet.unload(model, signal);
    expect(await loaded()).toEqual([]);
    expect((await fleet.model(model, signal)).state).toBe("on_disk");
    await fleet.purge(model, { force: false }, signal);
    expect((await fleet.model(model, signal)).state).toBe("absent");
    await expect(fleet.purge(model, { force: false }, signal)).rejects.toThrow(UnknownModel);
  });

  it("a cancelled pull lists nothing, and goes on where it was when it is asked for again", async () => {
    const fleet = fleetOf({ diskBytes: GIB });
    const model = registry.publish("cancelled:latest", tinyLlama({ seed: 9, bytes: 6 * MEGABYTE }));
    registry.misbehaviour.bytesPerSecond = 3 * MEGABYTE;
    const cancel = new AbortController();
    const onProgress = ({ completedBytes }: PullProgress) => {
      if (completedBytes > 2 * MEGABYTE) {
        cancel.abort(new Error("cancelled"));
      }
    };
    await expect(fleet.pull(model, { load: false, onProgress }, cancel.signal)).rejects.toThrow("cancelled");
    await fleet.discard(model, signal);
    expect(await fleet.model(model, signal)).toMatchObject({ state: "absent", placements: [] });
    const left = (await fleet.workers(signal))[0]?.disk?.usedBytes ?? 0;
    expect(left).toBeGreaterThan(2 * MEGABYTE);
    expect(left).toBeLessThan(6 * MEGABYTE);
    const seen: PullProgress[] = [];
    await pull(fleet, model, false, seen);
    expect(seen.find(({ totalBytes }) => totalBytes > 5 * MEGABYTE)?.completedBytes).toBeGreaterThan(MEGABYTE);
    expect((await fleet.model(model, signal)).state).toBe("on_disk");
  });

  it("says what the registry answers, and whether it is worth another try", async () => {
    const fleet = fleetOf();
    await expect(pull(fleet, `${registry.host}/library/absent:latest`)).rejects.toThrow(UnknownModel);
    const model = registry.publish("failing:latest", tinyLlama({ seed: 5 }));
    registry.misbehaviour.manifestStatus = 500;
    await expect(pull(fleet, model)).rejects.toMatchObject({ code: "engine_refusal", retryable: true });
    registry.misbehaviour.manifestStatus = 403;
    await expect(pull(fleet, model)).rejects.toMatchObject({ code: "engine_refusal", retryable: false });
    registry.misbehaviour.manifestStatus = undefined;
    expect(await pull(fleet, model)).toBe("cpu");
  });

  it("makes room on the disk, or ends the pull and leaves nothing", async () => {
    const old = registry.publish("old:latest", tinyLlama({ seed: 6, bytes: 2 * MEGABYTE }));
    const next = registry.publish("next:latest", tinyLlama({ seed: 7, bytes: 2 * MEGABYTE }));
    const large = registry.publish("large:latest", tinyLlama({ seed: 8, bytes: 5 * MEGABYTE }));
    const fleet = fleetOf({ diskBytes: 3 * MEGABYTE });
    await pull(fleet, old, false);
    await pull(fleet, next, false);
    expect(evicted()).toEqual([`${old} from disk`]);
    await expect(pull(fleet, large, false)).rejects.toThrow(NoRoom);
    expect((await fleet.models(signal)).map(({ model }) => model)).toEqual([next]);
  });

  it("stops, starts after the engine was away, and loads again what was loaded", async () => {
    const fleet = fleetOf();
    const model = registry.publish("warm:latest");
    await pull(fleet, model);
    await fleet.stop("cpu", signal);
    expect(await loaded()).toEqual([]);
    await ollama.process.kill();
    await expect(fleet.models(signal)).rejects.toThrow(EngineUnavailable);
    const starting = fleet.start("cpu", signal);
    await ollama.process.start();
    await starting;
    expect(await loaded()).toEqual([model]);
    expect((await fleet.workers(signal))[0]?.state).toBe("running");
  });

  it("an engine that dies during a pull is unavailable, and the pull goes on when it is back", async () => {
    const fleet = fleetOf();
    const model = registry.publish("dying:latest", tinyLlama({ seed: 11, bytes: 6 * MEGABYTE }));
    registry.misbehaviour.bytesPerSecond = 3 * MEGABYTE;
    let killed: Promise<void> | undefined;
    const onProgress = ({ completedBytes }: PullProgress) => {
      if (completedBytes > MEGABYTE) {
        killed ??= ollama.process.kill();
      }
    };
    await expect(fleet.pull(model, { load: true, onProgress }, signal)).rejects.toThrow(EngineUnavailable);
    await killed;
    await ollama.process.start();
    expect(await pull(fleet, model)).toBe("cpu");
    expect(await loaded()).toEqual([model]);
  });
});
