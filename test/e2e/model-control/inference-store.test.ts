/** The store's own steps of Lua on a real Redis: what is one step there cannot be shown with anything else. */
import fc from "fast-check";
import { Redis as Client } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Item, WAITING } from "../../../services/model-control/src/inference/record";
import { Sealer } from "../../../services/model-control/src/inference/sealing";
import { InferenceStore, type NewTask } from "../../../services/model-control/src/inference/store";
import { newTask } from "./new-task";
import { type Redis, startRedis } from "./registry";

const CONFIG = { lifeSeconds: 100, keepSeconds: 10, queued: 5, queuedPerCaller: 3 };
const RUNNING: Item = { ...WAITING, state: "running", attempts: 1 };

let redis: Redis;
let client: Client;
let store: InferenceStore;

beforeAll(async () => {
  redis = await startRedis();
  client = new Client(redis.url);
  const key = { id: "first", secret: Buffer.alloc(32, 1) };
  store = new InferenceStore(client, new Sealer({ keys: () => [key] }), CONFIG);
});
beforeEach(() => client.flushall());
afterAll(async () => {
  client?.disconnect();
  await redis?.stop();
});

function taskOf(owner: string, prompts = 1, idempotency?: NewTask["idempotency"]): NewTask {
  return { ...newTask(prompts, { owner, model: "m" }), sampling: { seed: 3 }, idempotency };
}

/** All but how many prompts were asked, which tells of no task. */
async function keysOfTasks(): Promise<readonly string[]> {
  return (await client.keys("*")).filter((key) => !key.includes(":asked:"));
}

describe("a task", () => {
  it("is refused beyond what one caller, and all together, may have unfinished, however many ask at once", async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => store.create(taskOf("token:a"))));
    expect(made.filter(({ as }) => as === "made")).toHaveLength(3);
    expect(made.filter((one) => one.as === "full" && one.whose === "owner")).toHaveLength(7);
    const others = await Promise.all(Array.from({ length: 3 }, () => store.create(taskOf("token:b"))));
    expect(others.filter(({ as }) => as === "made")).toHaveLength(2);
    expect(others.filter((one) => one.as === "full" && one.whose === "all")).toHaveLength(1);
    const [id = ""] = await store.idsOf("token:a", 10);
    await store.end(id, taskOf("token:a").task);
    expect(await store.create(taskOf("token:b"))).toEqual({ as: "made" });
  });

  it("is one for an idempotency key, however many ask at once, and says when the request is another", async () => {
    const same = { keys: ["k"], bodies: ["b"] } as const;
    const made = await Promise.all([1, 2, 3].map(() => store.create(taskOf("token:a", 1, same))));
    expect(made.filter(({ as }) => as === "made")).toHaveLength(1);
    const known = made.flatMap((one) => (one.as === "known" ? [one] : []));
    expect(known.map(({ sameBody }) => sameBody)).toEqual([true, true]);
    expect(new Set(known.map(({ id }) => id)).size).toBe(1);
    const other = await store.create(taskOf("token:a", 1, { keys: ["k"], bodies: ["c"] }));
    expect(other).toMatchObject({ as: "known", sameBody: false });
    // The old key's mark, and the old body's, after the key of the file was replaced.
    const rotated = await store.create(taskOf("token:a", 1, { keys: ["k2", "k"], bodies: ["b2", "b"] }));
    expect(rotated).toMatchObject({ as: "known", sameBody: true });
  });

  it("is not made where the server is full, and leaves nothing there", async () => {
    await client.config("SET", "maxmemory", "1");
    try {
      await expect(store.create(taskOf("token:a", 2, { keys: ["k"], bodies: ["b"] }))).rejects.toThrow(/OOM/);
    } finally {
      await client.config("SET", "maxmemory", "0");
    }
    expect(await client.keys("*")).toEqual([]);
  });

  it("does not count, once its life is over, among those that are unfinished", async () => {
    const made = taskOf("token:a");
    const long = { ...made, task: { ...made.task, createdAt: Date.now() - 2 * CONFIG.lifeSeconds * 1000 } };
    for (let i = 0; i < 3; i++) {
      await store.create({ ...long, id: `${made.id}-${i}` });
    }
    expect(await store.create(taskOf("token:a"))).toEqual({ as: "made" });
    expect(await store.idsOf("token:a", 10)).toHaveLength(1);
  });

  it("that was never put into the queue is forgotten in a minute, and one that was when its life is over", async () => {
    const made = taskOf("token:a");
    await store.create(made);
    expect((await store.read(made.id))?.remaining).toBeLessThanOrEqual(60_000);
    expect(await store.confirm(made.id, made.task)).toBe(true);
    expect((await store.read(made.id))?.remaining).toBeGreaterThan(90_000);
    await store.write(made.id, 0, { current: 0, next: 1 }, { ...RUNNING, state: "completed" }, "hello");
    await store.end(made.id, made.task);
    expect((await store.read(made.id))?.remaining).toBeLessThanOrEqual(10_000);
    expect(await store.confirm(made.id, made.task)).toBe(false);
    expect(await store.prompt(made.id, 0)).toBeUndefined();
    expect(await store.answers(made.id)).toEqual(new Map([[0, "hello"]]));
    // Nothing is kept for ever: a key without a time would stay when all that looks at it is gone.
    for (const key of await client.keys("*")) {
      expect([key, await client.pttl(key)]).toEqual([key, expect.any(Number)]);
      expect(await client.pttl(key)).toBeGreaterThan(0);
    }
  });

  it("leaves nothing when it is forgotten, and takes no write any more", async () => {
    const made = taskOf("token:a", 2, { keys: ["k"], bodies: ["b"] });
    await store.create(made);
    await store.confirm(made.id, made.task);
    await store.write(made.id, 0, { current: 0, next: 1 }, RUNNING, "hello");
    await store.forget(made.id, made.task);
    expect(await keysOfTasks()).toEqual([]);
    expect(await store.write(made.id, 0, { current: 1, next: 1 }, RUNNING, "hello")).toBe("gone");
    await store.note(made.id, { step: "pulling" });
    expect(await store.countPoll(made.id)).toBe(0);
    await store.end(made.id, made.task);
    expect(await keysOfTasks()).toEqual([]);
  });
});

describe("what was asked lately", () => {
  it("is counted for each caller and for all, and is forgotten with the time for which answers are kept", async () => {
    await store.create(taskOf("token:a", 7));
    await store.create(taskOf("token:a", 2));
    await store.create(taskOf("token:b"));
    // What was known already is not asked again.
    const same = { keys: ["k"], bodies: ["b"] } as const;
    await store.create(taskOf("token:b", 4, same));
    await store.create(taskOf("token:b", 4, same));
    const asked = await store.askedLately("token:a");
    expect(asked.byOwner).toBeGreaterThan(8);
    expect(asked.byOwner).toBeLessThanOrEqual(9);
    expect(asked.byAll).toBeGreaterThan(12);
    expect(asked.byAll).toBeLessThanOrEqual(14);
    expect((await store.askedLately("token:c")).byOwner).toBe(0);
    for (const key of await client.keys("*:asked:*")) {
      expect(await client.ttl(key)).toBeGreaterThan(0);
      expect(await client.ttl(key)).toBeLessThanOrEqual(2 * CONFIG.keepSeconds);
    }
  });
});

describe("an item", () => {
  it("is written by who knows its fence alone: of all who take it one has it, and only the last one's answer is kept", async () => {
    const moves = fc.array(fc.record({ writer: fc.nat(3), takes: fc.boolean() }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(moves, async (sequence) => {
        await client.flushall();
        const made = taskOf("token:a");
        await store.create(made);
        const knows = [0, 0, 0, 0];
        let fence = 0;
        let kept: string | undefined;
        for (const [step, { writer, takes }] of sequence.entries()) {
          const current = knows[writer] ?? 0;
          const next = takes ? current + 1 : current;
          const text = `answer ${writer} ${step}`;
          const written = await store.write(made.id, 0, { current, next }, RUNNING, text);
          expect(written).toBe(current === fence ? "written" : "taken");
          if (written === "written") {
            fence = next;
            kept = text;
            knows[writer] = next;
          } else {
            // It looks again, as who takes a task up does.
            knows[writer] = (await store.read(made.id))?.items[0]?.fence ?? 0;
            expect(knows[writer]).toBe(fence);
          }
        }
        expect((await store.answers(made.id)).get(0)).toBe(kept);
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  it("brings its prompt, and how it is to be answered, as they were", async () => {
    const made = taskOf("token:a", 3);
    await store.create(made);
    expect(await store.prompt(made.id, 2)).toEqual({ input: { prompt: "prompt 2" }, sampling: { seed: 3 } });
    expect(await store.prompt(made.id, 3)).toBeUndefined();
  });
});
