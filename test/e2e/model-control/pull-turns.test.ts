/** Who gets into the queue of pulls, and in what order: its own steps of Lua on a real Redis, with callers in every order and number. */
import { Queue, Worker } from "bullmq";
import fc from "fast-check";
import { Redis as Client } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Admission } from "../../../services/model-control/src/tasks/admission";
import { FairQueue } from "../../../services/model-control/src/tasks/fair-queue";
import { defineEvenWhenFull } from "../../../services/model-control/src/tasks/full-server";
import type { TaskData, TaskJob } from "../../../services/model-control/src/tasks/job";
import type { TaskKind, TaskReport } from "../../../services/model-control/src/tasks/task";
import { TaskQueue } from "../../../services/model-control/src/tasks/task-queue";
import { TaskTurns } from "../../../services/model-control/src/tasks/task-turns";
import { turnKeys } from "../../../services/model-control/src/tasks/turn-keys";
import { config } from "../../services/model-control/api";
import { type Redis, startRedis } from "./registry";

const CAPS = { perOwner: 4, all: 9 };
const OWNERS = ["token:a", "token:b", "tenant:c"];

let redis: Redis;
let client: Client;
let tasks: TaskQueue;
const refusals: string[] = [];

beforeAll(async () => {
  redis = await startRedis();
  client = new Client(redis.url, { maxRetriesPerRequest: null });
  defineEvenWhenFull(client);
  const settings = config({ pulls: { queuedPerCaller: CAPS.perOwner, queued: CAPS.all } });
  tasks = new TaskQueue(
    client,
    { ...settings, redis: { url: redis.url } },
    {
      refused: (_, reason, owner) => refusals.push(`${reason} ${owner}`),
    },
  );
});
beforeEach(() => client.flushall());
afterAll(async () => {
  await tasks?.close();
  client?.disconnect();
  await redis?.stop();
});

const pull = (model: string, owner: string, forInference = false) =>
  tasks.submit({ kind: "pull", model, load: true }, { owner, forInference });

interface Waiting {
  readonly id: string;
  readonly data: { readonly owners?: readonly string[]; readonly model: string; readonly cancelled?: boolean };
}

/** Those that wait, the next one first. */
async function inOrder(): Promise<readonly Waiting[]> {
  const ids = [
    ...(await client.lrange("model-control:pulls:wait", 0, -1)).reverse(),
    ...(await client.zrange("model-control:pulls:prioritized", 0, -1)),
  ];
  return Promise.all(
    ids.map(async (id) => ({ id, data: JSON.parse((await client.hget(`model-control:pulls:${id}`, "data")) ?? "{}") })),
  );
}

async function whileFull<T>(work: () => Promise<T>): Promise<T> {
  await client.config("SET", "maxmemory", "1");
  try {
    await expect(client.set("probe", "1")).rejects.toThrow("OOM");
    return await work();
  } finally {
    await client.config("SET", "maxmemory", "0");
  }
}

describe("pulls", () => {
  const step = fc.record({
    owner: fc.constantFrom(...OWNERS),
    model: fc.integer({ min: 0, max: 5 }),
    what: fc.constantFrom("pull", "pull", "pull", "cancel"),
  });

  it("are within the caps, take turns, and can be cancelled, whoever asks for what", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        await client.flushall();
        for (const { owner, model, what } of steps) {
          const before = await inOrder();
          if (what === "cancel") {
            const one = before[model];
            const report: TaskReport | undefined = one && (await whileFull(() => tasks.cancel(one.id)));
            expect(report?.error ?? "cancelled").toBe("cancelled");
            continue;
          }
          // Who joins has no room taken by it.
          const own = before.filter(({ data }) => data.owners?.[0] === owner).length;
          const isKnown = before.some(({ data }) => data.model === `m${model}:1` && !data.cancelled);
          const answer = await pull(`m${model}:1`, owner).catch((error) => error.code);
          const expected = isKnown
            ? /^pull-/
            : before.length >= CAPS.all
              ? /^queue_full$/
              : own >= CAPS.perOwner
                ? /^too_many_queued$/
                : /^pull-/;
          expect(answer).toMatch(expected);
        }
        const waiting = await inOrder();
        expect(waiting.length).toBeLessThanOrEqual(CAPS.all);
        expect(waiting.every(({ data }) => new Set(data.owners).size === data.owners?.length)).toBe(true);
      }),
      { numRuns: 40 },
    );
  }, 300_000);

  it("go round: an owner's first waits for one of each other owner at most, its next for two, however many these have", async () => {
    const asked = fc.array(fc.constantFrom(...OWNERS), { minLength: 1, maxLength: CAPS.all });
    await fc.assert(
      fc.asyncProperty(asked, async (owners) => {
        await client.flushall();
        let count = 0;
        for (const owner of owners) {
          await pull(`own${count++}:1`, owner).catch(() => undefined);
        }
        const order = (await inOrder()).map(({ data }) => data.owners?.[0] ?? "");
        for (const [at, owner] of order.entries()) {
          const previous = order.slice(0, at).lastIndexOf(owner);
          const between = order.slice(previous + 1, at);
          const most = previous < 0 ? 1 : 2;
          for (const other of new Set(between)) {
            expect(between.filter((one) => one === other).length).toBeLessThanOrEqual(most);
          }
        }
      }),
      { numRuns: 40 },
    );
  }, 200_000);

  it("are both owners' where both ask for one, at the better of their places", async () => {
    for (const model of ["a1:1", "a2:1", "shared:1"]) {
      await pull(model, "token:a");
    }
    const id = (await inOrder()).at(-1)?.id;
    expect(await pull("shared:1", "token:b")).toBe(id);
    expect(await pull("shared:1", "token:b")).toBe(id);
    const order = await inOrder();
    expect(order.map(({ data }) => data.model)).toEqual(["a1:1", "shared:1", "a2:1"]);
    expect(order[1]?.data.owners).toEqual(["token:a", "token:b"]);
  });

  it("cost an owner a place only where they take its turn, and room only where it asked first, in any order of requests", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ owner: fc.constantFrom(...OWNERS), model: fc.integer({ min: 0, max: 5 }) }), {
          maxLength: 30,
        }),
        async (asked) => {
          await client.flushall();
          // The model: each owner's next place, and each pull's place and owners.
          const next = new Map<string, number>();
          const pulls = new Map<number, { place: number; owners: string[] }>();
          for (const { owner, model } of asked) {
            const own = [...pulls.values()].filter(({ owners }) => owners[0] === owner).length;
            const known = pulls.get(model);
            const place = next.get(owner) ?? 1;
            await pull(`m${model}:1`, owner).catch(() => undefined);
            if (known === undefined && own < CAPS.perOwner) {
              pulls.set(model, { place, owners: [owner] });
              next.set(owner, place + 1);
            }
            if (known !== undefined && !known.owners.includes(owner)) {
              known.owners.push(owner);
              if (place < known.place) {
                known.place = place;
                next.set(owner, place + 1);
              }
            }
          }
          const found = await inOrder();
          const places = await Promise.all(
            found.map(async ({ id, data }) => ({
              model: data.model,
              owners: data.owners,
              place: Number(await client.hget(`model-control:pulls:${id}`, "priority")),
            })),
          );
          const byModel = <T extends { readonly model: string }>(list: readonly T[]) =>
            [...list].sort((a, b) => a.model.localeCompare(b.model));
          expect(byModel(places)).toEqual(
            byModel([...pulls].map(([model, { place, owners }]) => ({ model: `m${model}:1`, owners, place }))),
          );
          for (const owner of OWNERS) {
            expect(Number((await client.zscore("model-control:turns:pulls:fair:owners", owner)) ?? 1)).toBe(
              next.get(owner) ?? 1,
            );
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 200_000);

  it("that run cost who joins nothing, and each further turn costs one of their owners, whose turn comes first", async () => {
    const id = await pull("shared:1", "token:a");
    const queue = new Queue<TaskData, string | null, TaskKind>("pulls", {
      connection: client,
      prefix: "model-control",
    });
    const worker = new Worker("pulls", undefined, { connection: client, prefix: "model-control", autorun: false });
    const job = (await worker.getNextJob("lock")) as TaskJob;
    expect(job.id).toBe(id);
    expect(await pull("shared:1", "token:b")).toBe(id);
    const places = () => client.zrange("model-control:turns:pulls:fair:owners", 0, -1, "WITHSCORES");
    expect(await places()).toEqual(["token:a", "2"]);
    const settings = config({ pulls: { concurrency: 3 } });
    const turns = new TaskTurns(client, "pulls", settings, queue);
    // The joiner's first turn, then both in turns: none pays for two in a row while the other is behind it.
    for (const expected of [
      ["token:a", "2", "token:b", "2"],
      ["token:b", "2", "token:a", "3"],
      ["token:a", "3", "token:b", "3"],
    ]) {
      await turns.yield(job);
      expect(await places()).toEqual(expected);
    }
    await worker.close();
    await queue.close();
  });

  it("cost exactly one of their owners for each turn, the one that is first, however the others stand", async () => {
    const keys = turnKeys("pulls");
    const fair = new FairQueue(client, keys);
    const some = fc.uniqueArray(fc.constantFrom(...OWNERS), { minLength: 1 });
    const step = fc.oneof(
      fc.record({ own: fc.constantFrom(...OWNERS) }),
      fc.record({ shared: some }),
      fc.record({ joins: fc.constantFrom(...OWNERS), before: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ begins: fc.integer({ min: 1, max: 12 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        await client.flushall();
        let clock = 1;
        const next = new Map<string, number>();
        const placeOf = (owner: string) => Math.max(clock, next.get(owner) ?? 1);
        for (const each of steps) {
          if ("begins" in each) {
            await fair.begin(each.begins);
            clock = Math.max(clock, each.begins);
            continue;
          }
          if ("joins" in each) {
            const place = placeOf(each.joins);
            const isBetter = place < each.before;
            expect(await fair.placeBefore(each.joins, each.before)).toBe(isBetter ? place : undefined);
            next.set(each.joins, isBetter ? place + 1 : (next.get(each.joins) ?? 1));
            continue;
          }
          const owners = "own" in each ? [each.own] : each.shared;
          const place = Math.min(...owners.map(placeOf));
          const payer = owners.find((owner) => placeOf(owner) === place) ?? "";
          expect(await fair.placeOfShared(owners)).toBe(place);
          next.set(payer, place + 1);
        }
        for (const owner of OWNERS) {
          expect(Math.max(clock, Number((await client.zscore(keys.owners, owner)) ?? 1))).toBe(placeOf(owner));
        }
      }),
      { numRuns: 60 },
    );
  }, 200_000);

  it("that prompts needed become the first's who asks for them otherwise, who has room for them and pays a place", async () => {
    const helper = await pull("helper:1", "token:a", true);
    for (let i = 0; i < CAPS.perOwner; i++) {
      await pull(`full${i}:1`, "token:b");
    }
    await expect(pull("helper:1", "token:b")).rejects.toMatchObject({ code: "too_many_queued" });
    expect((await tasks.helpers()).map(({ id }) => id)).toEqual([helper]);
    expect(await pull("helper:1", "tenant:c")).toBe(helper);
    expect(await tasks.helpers()).toEqual([]);
    const found = (await inOrder()).find(({ id }) => id === helper);
    expect(found?.data.owners).toEqual(["tenant:c", "token:a"]);
    expect(await client.zscore("model-control:turns:pulls:fair:owners", "tenant:c")).toBe("2");
    expect(await client.zcard("model-control:turns:pulls:admitted")).toBe(0);
  });

  it("that were admitted and never came count for ten seconds, and no request of the same kind counts twice", async () => {
    const admission = new Admission(client, { perOwner: 1, all: 5 });
    expect(await admission.admit("pulls", "token:a", "pull x")).toBe("admitted");
    expect(await admission.admit("pulls", "token:a", "pull y")).toBe("owner");
    // Another owner whose name begins alike is another one.
    expect(await admission.admit("pulls", "token:ab", "pull y")).toBe("admitted");
    const key = "model-control:turns:pulls:admitted";
    expect(Number(await client.zscore(key, "token:a pull x")) - Date.now()).toBeLessThanOrEqual(10_000);
    await client.zadd(key, Date.now() - 1, "token:a pull x");
    expect(await admission.admit("pulls", "token:a", "pull y")).toBe("admitted");
  });

  it("of fifty requests at once for one model are one, and no more than the caps of fifty models", async () => {
    const same = await Promise.all(Array.from({ length: 50 }, () => pull("one:1", "token:a")));
    expect(new Set(same).size).toBe(1);
    refusals.length = 0;
    const many = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => pull(`many${i}:1`, "token:a")));
    expect(many.filter(({ status }) => status === "fulfilled")).toHaveLength(CAPS.perOwner - 1);
    expect(await inOrder()).toHaveLength(CAPS.perOwner);
    expect(refusals).toEqual(Array(50 - CAPS.perOwner + 1).fill("owner token:a"));
  });
});

describe("helpers", () => {
  it("are nobody's helpers any more once somebody asks for the same, and are abandoned only while they are", async () => {
    const id = await pull("a:1", "token:a", true);
    const other = await pull("b:1", "token:a", true);
    await pull("b:1", "token:b", true);
    expect((await tasks.helpers()).map((helper) => helper.id).sort()).toEqual([id, other].sort());
    await pull("a:1", "token:b");
    expect((await tasks.helpers()).map((helper) => helper.id)).toEqual([other]);
    expect(await tasks.abandon(id)).toBe(false);
    expect(await whileFull(() => tasks.abandon(other))).toBe(true);
    expect(await tasks.find(other)).toMatchObject({
      state: "failed",
      error: "cancelled: no request waits for it",
    });
    expect(await tasks.abandon(other)).toBe(false);
    expect(await tasks.helpers()).toEqual([]);
    // A cancelled one stays so, in words of its own.
    expect(await tasks.cancel(other)).toMatchObject({ error: "cancelled: no request waits for it" });
    expect(await pull("b:1", "token:b", true)).not.toBe(other);
  });
});

describe("stops and starts", () => {
  it("are taken by a full server, though the queue has as many tasks as it may, and go first", async () => {
    const load = (model: string, owner: string) => tasks.submit({ kind: "load", model }, { owner });
    await Promise.all(OWNERS.flatMap((owner) => [1, 2, 3].map((i) => load(`${owner.slice(-1)}${i}:1`, owner))));
    await expect(load("more:1", "token:d")).rejects.toMatchObject({ code: "queue_full", status: 503 });
    const [first, second] = await whileFull(() =>
      Promise.all([
        tasks.submit({ kind: "stop", worker: "w1" }, { owner: "token:op" }),
        tasks.submit({ kind: "start", worker: "w2" }, { owner: "token:op" }),
      ]),
    );
    expect((await client.lrange("model-control:operations:wait", 0, -1)).sort()).toEqual([first, second].sort());
  });

  it("need no turn where a waking that inference asked for waits for its own", async () => {
    const waking = await tasks.submit({ kind: "start", worker: "w1" }, { owner: "token:a", forInference: true });
    expect(await client.zrange("model-control:operations:prioritized", 0, -1)).toEqual([waking]);
    expect(await tasks.submit({ kind: "start", worker: "w1" }, { owner: "token:op" })).toBe(waking);
    expect(await client.lrange("model-control:operations:wait", 0, -1)).toEqual([waking]);
    expect(await tasks.helpers()).toEqual([]);
  });
});

describe("pulls of a version without owners", () => {
  it("are read, found, joined, counted and cancelled", async () => {
    const queue = new Queue("pulls", { connection: client, prefix: "model-control" });
    const id = "pull-00000000-0000-4000-8000-000000000000";
    const deduplication = { id: "pull and load old:1 on any worker" };
    await queue.add("pull", { kind: "pull", model: "old:1", load: true, trace: {} }, { jobId: id, deduplication });
    expect(await pull("old:1", "token:a")).toBe(id);
    // Before all that have turns, as it was.
    expect((await inOrder())[0]).toMatchObject({ id, data: { model: "old:1", trace: {} } });
    expect(await tasks.cancel(id)).toMatchObject({ state: "failed", error: "cancelled" });
    await queue.close();
  });
});

it("nothing but stops and starts is taken where nine tenths of the memory are used", async () => {
  const used = Number(/^used_memory:(\d+)/m.exec(await client.info("memory"))?.[1]);
  await client.config("SET", "maxmemory", String(Math.floor(used * 1.05)));
  try {
    const fresh = new TaskQueue(client, { ...config({}), redis: { url: redis.url } });
    const asked = fresh.submit({ kind: "pull", model: "a:1", load: true }, { owner: "token:a" });
    await expect(asked).rejects.toMatchObject({ code: "queue_full", message: expect.stringContaining("nearly full") });
    expect(await fresh.submit({ kind: "stop", worker: "w1" }, { owner: "token:op" })).toMatch(/^stop-/);
    await fresh.close();
  } finally {
    await client.config("SET", "maxmemory", "0");
  }
});
