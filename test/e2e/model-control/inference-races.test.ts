/**
 * What two processes that are at one task do to each other, step by step: the turns and the store's Lua on a real Redis. Each
 * test brings about one order of steps that processes come to by chance alone.
 */
import { Redis as Client } from "ioredis";
import pino from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AnswerWriter, ItemLost } from "../../../services/model-control/src/inference/answer-writer";
import { taskKeys } from "../../../services/model-control/src/inference/keys";
import { type Item, WAITING } from "../../../services/model-control/src/inference/record";
import { Sealer } from "../../../services/model-control/src/inference/sealing";
import { InferenceStore, type NewTask } from "../../../services/model-control/src/inference/store";
import { Turns } from "../../../services/model-control/src/inference/turns";
import { FairQueue } from "../../../services/model-control/src/tasks/fair-queue";
import { Slots } from "../../../services/model-control/src/tasks/slots";
import { turnKeys } from "../../../services/model-control/src/tasks/turn-keys";
import { FakeFleet } from "../../services/model-control/fake-fleet";
import { FakeTasks } from "../../services/model-control/fake-tasks";
import { newTask } from "./new-task";
import { type Redis, startRedis } from "./registry";

type Parts = ConstructorParameters<typeof Turns>[0];

const CONFIG = { lifeSeconds: 100, keepSeconds: 10, queued: 5, queuedPerCaller: 3 };
const RUNNING: Item = { ...WAITING, state: "running", attempts: 1, worker: "w1" };
const log = pino({ level: "silent" });
const never = new AbortController().signal;

let redis: Redis;
let client: Client;
let store: InferenceStore;
/** Of the stores, in milliseconds. */
let clock = 0;

beforeAll(async () => {
  redis = await startRedis();
  client = new Client(redis.url);
  await client.ping();
  store = newStore(client);
  // It has been connected for ever.
  clock = 1e9;
});
beforeEach(() => client.flushall());
afterAll(async () => {
  client?.disconnect();
  await redis?.stop();
});

function newStore(connection: Client): InferenceStore {
  const key = { id: "first", secret: Buffer.alloc(32, 1) };
  return new InferenceStore(connection, new Sealer({ keys: () => [key] }), CONFIG, () => clock);
}

/** In the queue, and nobody is at it. */
async function waiting(prompts = 1): Promise<NewTask> {
  const made = newTask(prompts);
  await store.create(made);
  await store.confirm(made.id, made.task);
  return made;
}

/** One process: its fleet and its turns. */
function newProcess(looks: number) {
  const fleet = new FakeFleet();
  const config = {
    wait: { polls: looks, seconds: 5 },
    idleSeconds: 5,
    answerBytes: 1000,
    attempts: 3,
    drainSeconds: 1,
  };
  const parts = {
    store,
    fair: new FairQueue(client, turnKeys("inference")),
    slots: new Slots(client, 4, turnKeys("inference")),
    fleet,
    tasks: new FakeTasks(),
    config,
    observer: { answered: () => undefined },
  };
  const turns = new Turns(parts as unknown as Parts);
  return { fleet, turns, take: (id: string) => turns.take({ id, place: 1, onProgress: () => undefined }, never, log) };
}

/** As if whoever was at the item had not been heard of for so long. */
async function silentFor(id: string, milliseconds: number): Promise<void> {
  const [seconds] = await client.time();
  await client.hset(taskKeys(id).record, "a:0", Number(seconds) * 1000 - milliseconds);
}

async function itemsOf(id: string): Promise<readonly Item[]> {
  return (await store.read(id))?.items.map(({ item }) => item) ?? [];
}

describe("a process that gives a model up", () => {
  it("leaves the task to another one that has begun with it meanwhile", async () => {
    const { id } = await waiting(2);
    const late = newProcess(0);
    const writer = new AnswerWriter(store, id, 0, 0, RUNNING);
    late.fleet.readiness = async () => {
      // It was stopped while it looked; another one found the model loaded.
      await writer.claim();
      await writer.add("hello");
      return { state: "unreachable", worker: "w1" };
    };
    expect(await late.take(id)).toMatchObject({ as: "again" });
    await writer.end({ ...writer.item, state: "completed", finishReason: "stop" });
    const stored = await store.read(id);
    expect([stored?.endedAt, stored?.error]).toEqual([undefined, undefined]);
    expect(await store.answers(id)).toEqual(new Map([[0, "hello"]]));
    // What the other one has not come to yet is still to be read.
    expect(await store.prompt(id, 1)).toBeDefined();
  });
});

describe("a task that the queue gave up", () => {
  it("has cancelled prompts, and no lost ones, when it was cancelled after its process had died", async () => {
    const { id } = await waiting(2);
    await store.write(id, 0, { current: 0, next: 1 }, { ...RUNNING, begun: true }, "he");
    await silentFor(id, 60_000);
    await newProcess(1).turns.abandon(id, "cancelled");
    expect(await itemsOf(id)).toMatchObject([
      { state: "cancelled", finishReason: "cancelled" },
      { state: "cancelled", finishReason: "cancelled" },
    ]);
    expect((await store.read(id))?.error).toBe("cancelled");
    expect((await store.answers(id)).get(0)).toBe("he");
  });

  it("has lost ones when its processes ended again and again", async () => {
    const { id } = await waiting(1);
    await store.write(id, 0, { current: 0, next: 1 }, RUNNING);
    await silentFor(id, 60_000);
    await newProcess(1).turns.abandon(id, "lost three times");
    expect(await itemsOf(id)).toMatchObject([{ state: "failed", problem: "lost" }]);
    expect((await store.read(id))?.error).toBe("lost three times");
  });
});

describe("a server that lost its latest writes", () => {
  it("lets nobody write whom it has forgotten, though another one has taken the item since", async () => {
    const { id } = await waiting();
    const { record } = taskKeys(id);
    const before = await client.dumpBuffer(record);
    const forgotten = new AnswerWriter(store, id, 0, 0, RUNNING);
    await forgotten.claim();
    // A failover, or a power cut: the claim is gone.
    await client.restore(record, 100_000, before ?? "", "REPLACE");
    const second = new AnswerWriter(store, id, 0, 0, RUNNING);
    await second.claim();
    await expect(forgotten.add("one")).rejects.toBeInstanceOf(ItemLost);
    await second.add("two");
    await second.end({ ...second.item, state: "completed", finishReason: "stop" });
    expect(await store.answers(id)).toEqual(new Map([[0, "two"]]));
    forgotten.close();
  });

  it("is given time to hear of answers again, after it was away, before anybody takes them for dead", async () => {
    const { id } = await waiting();
    const mine = new Client(redis.url);
    await mine.ping();
    const watching = newStore(mine);
    await store.write(id, 0, { current: 0, next: 1 }, { ...RUNNING, begun: true }, "he");
    await silentFor(id, 60_000);
    const silence = async () => (await watching.read(id))?.items[0]?.silence;
    expect(await silence()).toBe(0);
    clock += 3_000;
    expect(await silence()).toBe(3_000);
    clock += 100_000;
    expect(await silence()).toBeGreaterThanOrEqual(60_000);
    const ready = new Promise((resolve) => mine.once("ready", resolve));
    mine.disconnect(true);
    await ready;
    expect(await silence()).toBe(0);
    clock += 3_000;
    expect(await silence()).toBe(3_000);
    mine.disconnect();
  });
});

describe("an idempotency key", () => {
  it("is one task while replicas do not agree yet which of two keys of the file is the first", async () => {
    for (let round = 0; round < 50; round++) {
      const [old, young] = [`old ${round}`, `young ${round}`] as const;
      const made = await waitingWith([
        { keys: [old, young], bodies: ["b1", "b2"] },
        { keys: [young, old], bodies: ["b2", "b1"] },
      ]);
      expect(made.map(({ as }) => as).sort()).toEqual(["known", "made"]);
      await client.flushall();
    }
  });
});

/** Asked for at the same time, each through a connection of its own. */
async function waitingWith(idempotencies: readonly NonNullable<NewTask["idempotency"]>[]) {
  const { task, inputs } = await waiting();
  await client.flushall();
  const connections = idempotencies.map(() => new Client(redis.url));
  await Promise.all(connections.map((connection) => connection.ping()));
  const made = await Promise.all(
    idempotencies.map((idempotency, index) =>
      newStore(connections[index] ?? client).create({
        id: newTask().id,
        task,
        inputs,
        sampling: {},
        idempotency,
      }),
    ),
  );
  for (const connection of connections) {
    connection.disconnect();
  }
  return made;
}
