/** What replicas of the model control API share, on a real Redis. */
import { setTimeout as sleep } from "node:timers/promises";
import { Redis as Client } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { QueueUnavailable, WorkerBusy } from "../../../services/model-control/src/errors";
import { RedisFleetState } from "../../../services/model-control/src/fleet/redis-state";
import type { Lease } from "../../../services/model-control/src/fleet/state";
import { type Redis, startRedis } from "./registry";

const signal = new AbortController().signal;

describe("the fleet's state on a real Redis", () => {
  let redis: Redis;
  const clients: Client[] = [];
  let one: RedisFleetState;
  let other: RedisFleetState;

  function connect(): Client {
    const client = new Client(redis.url, { maxRetriesPerRequest: 0, commandTimeout: 1000, retryStrategy: () => 100 });
    client.on("error", () => undefined);
    clients.push(client);
    return client;
  }

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());
  beforeEach(async () => {
    one = new RedisFleetState(connect());
    other = new RedisFleetState(connect());
    await connect().flushall();
  });
  afterEach(() => {
    for (const client of clients.splice(0)) {
      client.disconnect();
    }
  });

  it("lets one at a time work on a worker, and everyone on different ones", async () => {
    const running: string[] = [];
    let most = 0;
    const work = async (worker: string) => {
      running.push(worker);
      most = Math.max(most, running.filter((name) => name === "a").length);
      await sleep(50);
      running.splice(running.indexOf(worker), 1);
    };
    const states = [one, other, one, other];
    await Promise.all(states.map((state) => state.withLease("a", 10, signal, () => work("a"))));
    expect(most).toBe(1);
    await one.withLease("a", 1, signal, () => other.withLease("b", 1, signal, () => work("b")));
  });

  it("gives every lease a larger fence, and says who is kept waiting for too long", async () => {
    const fences: number[] = [];
    for (const state of [one, other, one]) {
      await state.withLease("a", 1, signal, async ({ fence }) => fences.push(fence));
    }
    expect(fences).toEqual([1, 2, 3]);
    await one.withLease("a", 1, signal, async () => {
      await expect(other.withLease("a", 0.3, signal, async () => undefined)).rejects.toThrow(WorkerBusy);
    });
  });

  it("gives the lease back when the work fails, with the work's own error", async () => {
    await expect(one.withLease("a", 1, signal, () => Promise.reject(new Error("mine")))).rejects.toThrow("mine");
    expect(await other.withLease("a", 0, signal, async () => "free")).toBe("free");
  });

  it("refuses what is written with a lost lease, and tells the work", async () => {
    let stale: Lease | undefined;
    await one.withLease("a", 1, signal, async (lease) => {
      stale = lease;
      await one.setWorker(lease, { phase: "draining", rewarm: [] });
      // As if this process had been suspended until the lease had ended.
      await connect().del("model-control:{a}:lease");
      await other.withLease("a", 1, signal, (theirs) => other.setWorker(theirs, { phase: "stopped", rewarm: ["m:1"] }));
      await expect(one.setWorker(lease, { phase: "running", rewarm: [] })).rejects.toThrow(WorkerBusy);
      await expect.poll(() => lease.signal.aborted, { timeout: 8000 }).toBe(true);
    });
    expect(stale?.signal.reason).toBeInstanceOf(WorkerBusy);
    expect(await one.worker("a")).toEqual({ phase: "stopped", rewarm: ["m:1"] });
  });

  it("renews a lease for as long as the work takes", async () => {
    await one.withLease("a", 1, signal, async (lease) => {
      const left = () => connect().pttl("model-control:{a}:lease");
      await sleep(5000);
      expect(await left()).toBeGreaterThan(12_000);
      expect(lease.signal.aborted).toBe(false);
    });
  });

  it("lets no request begin to use a model that leaves, for as long as the lease under which it does", async () => {
    expect(await one.beginUse("a", "m:1", "first")).toBe(true);
    expect(await other.beginUse("a", "of two words", "second")).toBe(true);
    expect(await other.usedModels("a")).toEqual(new Set(["m:1", "of two words"]));
    await one.withLease("a", 1, signal, async (lease) => {
      expect(await one.leave(lease, "m:1")).toBe(1);
      expect(await other.beginUse("a", "m:1", "third")).toBe(false);
      expect(await other.beginUse("a", "m:2", "third")).toBe(true);
      await other.endUse("a", "m:1", "first");
      expect(await one.leave(lease, "m:1")).toBe(0);
      await one.stay(lease, "m:1");
      expect(await other.beginUse("a", "m:1", "fourth")).toBe(true);
      expect(await one.leave(lease, "m:1")).toBe(1);
    });
    expect(await other.beginUse("a", "m:1", "fifth")).toBe(true);
  });

  it("refuses to let a model leave under a lost lease, whose mark holds nobody back, and takes back only its own", async () => {
    await one.withLease("a", 1, signal, async (stale) => {
      await one.leave(stale, "m:1");
      await connect().del("model-control:{a}:lease");
      expect(await other.beginUse("a", "m:1", "mine")).toBe(true);
      await other.withLease("a", 1, signal, async (theirs) => {
        await expect(one.leave(stale, "m:1")).rejects.toThrow(WorkerBusy);
        expect(await other.leave(theirs, "m:1")).toBe(1);
        await one.stay(stale, "m:1");
        expect(await one.beginUse("a", "m:1", "another")).toBe(false);
      });
    });
  });

  it("takes a request of which nothing was heard for half a minute for one that ended with its process", async () => {
    await one.beginUse("a", "m:1", "dead");
    await one.beginUse("a", "m:2", "alive");
    const raw = connect();
    const left = async (use: string) => Number(await raw.zscore("model-control:{a}:uses", use)) - Date.now();
    expect(await left("dead m:1")).toBeGreaterThan(29_000);
    expect(await left("dead m:1")).toBeLessThan(30_100);
    await raw.zadd("model-control:{a}:uses", Date.now() - 1, "dead m:1", Date.now() + 500, "alive m:2");
    await one.keepUse("a", "m:2", "alive");
    expect(await left("alive m:2")).toBeGreaterThan(29_000);
    expect(await one.usedModels("a")).toEqual(new Set(["m:2"]));
    // What has ended is not brought back by a late sign of life.
    await one.keepUse("a", "m:1", "dead");
    expect(await one.usedModels("a")).toEqual(new Set(["m:2"]));
  });

  it("remembers models, sizes and pulls, for everyone and after a restart", async () => {
    const lastUsed = new Date("2026-11-21T10:00:00Z");
    expect(await one.worker("a")).toEqual({ phase: "running", rewarm: [] });
    await one.setModels("a", new Map([["hf.co/u/r:Q4", { lastUsed, useMark: "x", diskBytes: 5 }]]), []);
    await one.setModels("a", new Map([["gone:1", { lastUsed }]]), []);
    await one.setModels("a", new Map(), ["gone:1"]);
    await one.setSize("m:1", { memoryBytes: 7, diskBytes: 5 });
    await one.setPull("a", "m:1", { running: true, totalBytes: 9, completedBytes: 4 });
    await redis.process.kill();
    await expect(other.models("a")).rejects.toThrow(QueueUnavailable);
    await expect(other.withLease("a", 1, signal, async () => undefined)).rejects.toThrow(QueueUnavailable);
    await redis.process.start();
    await expect
      .poll(() => other.sizes().catch(() => undefined))
      .toEqual(new Map([["m:1", { memoryBytes: 7, diskBytes: 5 }]]));
    expect(await other.models("a")).toEqual(new Map([["hf.co/u/r:Q4", { lastUsed, useMark: "x", diskBytes: 5 }]]));
    expect(await other.pulls("a")).toEqual(new Map([["m:1", { running: true, totalBytes: 9, completedBytes: 4 }]]));
  });

  it("takes a pull that was not heard of for a while for one that ended, and forgets it in the end", async () => {
    const raw = connect();
    const stored = (secondsAgo: number) =>
      JSON.stringify({ running: true, totalBytes: 9, completedBytes: 4, at: Date.now() - secondsAgo * 1000 });
    await raw.hset("model-control:{a}:pulls", "silent:1", stored(31), "ancient:1", stored(25 * 3600));
    expect(await one.pulls("a")).toEqual(new Map([["silent:1", { running: false, totalBytes: 9, completedBytes: 4 }]]));
    await one.setPull("a", "live:1", { running: true, totalBytes: 1, completedBytes: 0 });
    await one.forgetLeftovers("a", 3600);
    expect([...(await one.pulls("a")).keys()].sort()).toEqual(["live:1", "silent:1"]);
    await one.forgetLeftovers("a", 0);
    expect([...(await one.pulls("a")).keys()]).toEqual(["live:1"]);
    await one.endPull("a", "live:1");
    expect((await one.pulls("a")).size).toBe(0);
  });
});
