/** The own steps of Lua of turns and slots on a real Redis, with callers that hand in prompts in every order and number. */
import fc from "fast-check";
import { Redis as Client } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FairQueue, LAST_PLACE } from "../../../services/model-control/src/tasks/fair-queue";
import { Slots } from "../../../services/model-control/src/tasks/slots";
import { turnKeys } from "../../../services/model-control/src/tasks/turn-keys";
import { type Redis, startRedis } from "./registry";

const KEYS = turnKeys("inference");

let redis: Redis;
let client: Client;
let fair: FairQueue;

beforeAll(async () => {
  redis = await startRedis();
  client = new Client(redis.url);
  fair = new FairQueue(client, KEYS);
});
beforeEach(() => client.flushall());
afterAll(async () => {
  client?.disconnect();
  await redis?.stop();
});

interface Waiting {
  readonly owner: string;
  readonly place: number;
  /** Of equal places the earlier goes first. */
  readonly order: number;
  /** Prompts that were begun while it was its owner's next one, of each other owner. */
  readonly passed: Map<string, number>;
}

/** The queue as the service has it: by place, and by order among equal ones. */
class Queue {
  readonly waiting: Waiting[] = [];
  readonly served: string[] = [];
  private order = 0;

  async submit(owner: string): Promise<void> {
    const place = await fair.place(owner, this.waiting.length === 0);
    this.waiting.push({ owner, place, order: this.order++, passed: new Map() });
  }

  /** @returns the most prompts of one other owner that went before it since it was its owner's next one. */
  async serve(): Promise<number> {
    this.waiting.sort((a, b) => a.place - b.place || a.order - b.order);
    const next = this.waiting.shift();
    if (next === undefined) {
      return 0;
    }
    await fair.begin(next.place);
    this.served.push(next.owner);
    for (const other of this.firsts().filter(({ owner }) => owner !== next.owner)) {
      other.passed.set(next.owner, (other.passed.get(next.owner) ?? 0) + 1);
    }
    return Math.max(0, ...next.passed.values());
  }

  private firsts(): readonly Waiting[] {
    const seen = new Set<string>();
    return this.waiting.filter(({ owner }) => !seen.has(owner) && seen.add(owner));
  }
}

const OWNERS = ["a", "b", "c", "d", "e"];
const steps = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.record({ owner: fc.constantFrom(...OWNERS), count: fc.integer({ min: 1, max: 30 }) }) },
    { weight: 3, arbitrary: fc.constant("serve" as const) },
  ),
  { minLength: 1, maxLength: 60 },
);

describe("turns", () => {
  it("put at most two prompts of each other caller before anybody's next one, however much each hands in", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        await client.flushall();
        const queue = new Queue();
        for (const step of sequence) {
          if (step === "serve") {
            expect(await queue.serve()).toBeLessThanOrEqual(2);
            continue;
          }
          for (let i = 0; i < step.count; i++) {
            await queue.submit(step.owner);
          }
        }
        while (queue.waiting.length > 0) {
          expect(await queue.serve()).toBeLessThanOrEqual(2);
        }
      }),
      // The second prompt of "a" comes after those of the others' second round, and so behind both rounds of theirs.
      { numRuns: 60, examples: [[["a", "b", "b", "c", "c", "a"].map((owner) => ({ owner, count: 1 }))]] },
    );
  }, 120_000);

  it("a caller that comes late goes behind one prompt of him who has ten thousand waiting", async () => {
    const queue = new Queue();
    for (let i = 0; i < 10_000; i++) {
      await queue.submit("many");
    }
    for (let i = 0; i < 5; i++) {
      await queue.serve();
    }
    await queue.submit("late");
    await queue.serve();
    await queue.serve();
    expect(queue.served.slice(5)).toContain("late");
    // And who has been served is no worse off than before.
    await queue.submit("late");
    await queue.submit("later");
    for (let i = 0; i < 4; i++) {
      await queue.serve();
    }
    expect(queue.served.slice(7)).toEqual(expect.arrayContaining(["late", "later", "many"]));
  }, 60_000);

  it("begin anew when nothing waits, and end at the last place that the queue takes", async () => {
    await client.set(KEYS.clock, String(LAST_PLACE + 10));
    expect(await fair.place("a", false)).toBe(LAST_PLACE);
    expect(await fair.place("a", false)).toBe(LAST_PLACE);
    expect(await fair.place("a", true)).toBe(1);
    expect(await fair.place("a", false)).toBe(2);
    expect(await fair.place("b", false)).toBe(1);
  });

  it("never run back: a prompt that was placed before others began moves nobody behind it", async () => {
    await fair.begin(7);
    await fair.begin(3);
    expect(await client.get(KEYS.clock)).toBe("7");
    expect(await fair.place("a", false)).toBe(7);
  });

  it("keep nothing of callers that are behind the clock", async () => {
    for (const owner of OWNERS) {
      await fair.place(owner, false);
    }
    await fair.begin(5);
    await fair.place("a", false);
    expect(await client.zrange(KEYS.owners, 0, -1)).toEqual(["a"]);
  });
});

describe("slots", () => {
  it("are all but one of those that there are, for each caller by itself, and one where there is but one", async () => {
    const slots = new Slots(client, 3, KEYS);
    expect(await slots.take("a", "a1", 60)).toBe(true);
    expect(await slots.take("a", "a2", 60)).toBe(true);
    expect(await slots.take("a", "a3", 60)).toBe(false);
    // Who has one keeps it through its next attempt.
    expect(await slots.take("a", "a1", 60)).toBe(true);
    expect(await slots.take("b", "b1", 60)).toBe(true);
    const single = new Slots(client, 1, KEYS);
    expect(await single.take("c", "c1", 60)).toBe(true);
    expect(await single.take("c", "c2", 60)).toBe(false);
  });

  it("go to the lowest place of the same caller that waits, and wake whoever came too late to be told", async () => {
    const slots = new Slots(client, 2, KEYS);
    await slots.take("a", "a1", 60);
    expect(await slots.wait("a", "a3", 3, 60_000)).toBe(true);
    expect(await slots.wait("a", "a2", 2, 60_000)).toBe(true);
    expect(await slots.wait("b", "b1", 1, 60_000)).toBe(false);
    expect(await slots.leave("a", "a1")).toBe(true);
    expect(await slots.leave("a", "a1")).toBe(false);
    expect(await slots.next("a")).toBe("a2");
    expect(await slots.wait("a", "a4", 4, 60_000)).toBe(false);
    expect(await slots.next("a")).toBe("a3");
    expect(await slots.next("a")).toBeUndefined();
  });

  it("are free by themselves when their process never gives them back, and leave nothing behind", async () => {
    const slots = new Slots(client, 2, KEYS);
    await slots.take("a", "a1", 60);
    await slots.wait("a", "a2", 2, 60_000);
    const [taken, waiting] = [KEYS.taken("a"), KEYS.waiting("a")];
    // The longest answer, and a minute.
    expect(await client.pttl(taken)).toBeGreaterThan(119_000);
    expect(await client.pttl(waiting)).toBeGreaterThan(0);
    await client.zadd(taken, Date.now() - 1, "a1");
    expect(await slots.take("a", "a2", 60)).toBe(true);
    expect(await client.zrange(taken, 0, -1)).toEqual(["a2"]);
  });

  it("are never more than that, and never kept from who waits, in any order of steps", async () => {
    const step = fc.record({ task: fc.integer({ min: 0, max: 7 }), ends: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 40 }),
        async (concurrency, steps) => {
          await client.flushall();
          const slots = new Slots(client, concurrency, KEYS);
          const most = Math.max(1, concurrency - 1);
          const taken = new Set<string>();
          const waiting: string[] = [];
          for (const { task, ends } of steps) {
            const id = String(task);
            if (taken.has(id) && ends) {
              taken.delete(id);
              expect(await slots.leave("a", id)).toBe(true);
              const next = await slots.next("a");
              expect(next).toBe(waiting.sort()[0]);
              if (next !== undefined) {
                waiting.shift();
                expect(await slots.take("a", next, 60)).toBe(true);
                taken.add(next);
              }
            } else if (!taken.has(id) && !waiting.includes(id)) {
              const got = await slots.take("a", id, 60);
              expect(got).toBe(taken.size < most);
              if (got) {
                taken.add(id);
              } else {
                expect(await slots.wait("a", id, task + 1, 60_000)).toBe(true);
                waiting.push(id);
              }
            }
            expect(taken.size).toBeLessThanOrEqual(most);
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);
});
