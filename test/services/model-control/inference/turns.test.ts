import pino from "pino";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../../services/model-control/src/backends/generation";
import { EngineUnavailable, QueueFull } from "../../../../services/model-control/src/errors";
import type { Readiness } from "../../../../services/model-control/src/fleet/fleet";
import { type Item, type StoredTask, WAITING } from "../../../../services/model-control/src/inference/record";
import { Turns } from "../../../../services/model-control/src/inference/turns";
import { Slots } from "../../../../services/model-control/src/tasks/slots";
import { Cancelled } from "../../../../services/model-control/src/tasks/stop-reasons";
import type { TaskReport } from "../../../../services/model-control/src/tasks/task";
import { FakeFleet } from "../fake-fleet";
import { FakeTasks } from "../fake-tasks";

type Parts = ConstructorParameters<typeof Turns>[0];

const log = pino({ level: "silent" });
const never = new AbortController().signal;
const ID = "inference-1";

/** A task of some prompts in memory, whose steps are noted. */
function taken(
  prompts: number,
  {
    ready,
    queued = 0,
    first = WAITING,
  }: { readonly ready?: Readiness; readonly queued?: number; readonly first?: Item } = {},
) {
  const fleet = new FakeFleet();
  fleet.ready = ready ?? fleet.ready;
  const tasks = new FakeTasks();
  tasks.inferenceCounts = async () => ({ queued, running: 1 });
  const steps: string[] = [];
  const items = Array.from({ length: prompts }, (_, index) => ({
    item: index === 0 ? first : WAITING,
    fence: 0,
    silence: 0,
  }));
  const task = {
    owner: "token:me",
    model: "m:1",
    createdAt: 0,
    prompts,
    maxTokens: 8,
    seconds: 9,
    mayPull: true,
    mayStart: true,
  };
  let polls = 0;
  let error: string | undefined;
  const store = {
    read: async (): Promise<StoredTask> => ({ task, items: [...items], remaining: 1000 }),
    confirm: async () => true,
    prompt: async () => ({ input: { prompt: "hello" }, sampling: {} }),
    note: async () => undefined,
    setWaiting: async () => undefined,
    countPoll: async () => ++polls,
    write: async (_: string, index: number, fence: { current: number; next: number }, item: Item) => {
      if (items[index]?.fence !== fence.current) {
        return "taken" as const;
      }
      items[index] = { item, fence: fence.next, silence: 0 };
      return "written" as const;
    },
    end: async (_: string, _task: unknown, reason?: string) => {
      error = reason;
      steps.push("end");
    },
  };
  const fair = {
    begin: async (place: number) => void steps.push(`begin ${place}`),
    place: async () => {
      steps.push("place");
      return 8;
    },
  };
  const waitingForSlot: string[] = [];
  const slots = {
    isFull: false,
    taken: 0,
    take: async () => {
      slots.taken += slots.isFull ? 0 : 1;
      return !slots.isFull;
    },
    leave: async () => {
      const had = slots.taken > 0;
      slots.taken = 0;
      return had;
    },
    next: async () => waitingForSlot.shift(),
    wait: async () => slots.isFull,
    handOn: Slots.prototype.handOn,
  };
  const config = {
    wait: { polls: 3, seconds: 5 },
    idleSeconds: 5,
    answerBytes: 1000,
    attempts: 3,
    drainSeconds: 1,
  };
  const parts = { store, fair, slots, fleet, tasks, config, observer: { answered: () => undefined } };
  const turns = new Turns(parts as unknown as Parts);
  const take = (signal = never) => turns.take({ id: ID, place: 5, onProgress: () => undefined }, signal, log);
  return {
    take,
    steps,
    items: () => items.map(({ item }) => item),
    error: () => error,
    fleet,
    tasks,
    turns,
    slots,
    waitingForSlot,
  };
}

describe("a turn", () => {
  it("moves the clock when a prompt is put to an engine, and not while its model is waited for", async () => {
    const waiting = taken(1, { ready: { state: "on_disk" } });
    expect(await waiting.take()).toEqual({ as: "again", milliseconds: 5_000 });
    expect(waiting.steps).toEqual([]);
    expect(waiting.tasks.requests).toEqual([{ kind: "load", model: "m:1" }]);
    const ready = taken(1);
    expect(await ready.take()).toEqual({ as: "ended", worker: "w1" });
    expect(ready.steps).toEqual(["begin 5", "end"]);
  });

  it("goes on with its next prompt while nobody else waits, and behind the others when somebody does", async () => {
    const alone = taken(3);
    expect(await alone.take()).toMatchObject({ as: "ended" });
    expect(alone.steps).toEqual(["begin 5", "place", "begin 8", "place", "begin 8", "end"]);
    const among = taken(3, { queued: 1 });
    expect(await among.take()).toEqual({ as: "behind", place: 8 });
    expect(among.items().map(({ state }) => state)).toEqual(["completed", "waiting", "waiting"]);
  });

  it("puts nothing to an engine while its owner has as many prompts there as it may, and moves nobody behind it", async () => {
    const { take, steps, items, slots, turns, tasks } = taken(2);
    slots.isFull = true;
    const end = await take();
    expect(end).toEqual({ as: "crowded", owner: "token:me", place: 5 });
    expect(steps).toEqual([]);
    expect(items()).toEqual([WAITING, WAITING]);
    await turns.waitForSlot(ID, { as: "crowded", owner: "token:me", place: 5 }, 1000);
    expect(tasks.woken).toEqual([]);
    // One of the owner's answers ended before the task was out of the way: nobody else will wake it.
    slots.isFull = false;
    await turns.waitForSlot(ID, { as: "crowded", owner: "token:me", place: 5 }, 1000);
    expect(tasks.woken).toEqual([ID]);
  });

  it("gives its slot to the first that waits for one and is still there", async () => {
    const { take, tasks, waitingForSlot } = taken(1);
    waitingForSlot.push("inference-cancelled", "inference-next", "inference-later");
    tasks.waiting.add("inference-next").add("inference-later");
    expect(await take()).toMatchObject({ as: "ended" });
    expect(tasks.woken).toEqual(["inference-cancelled", "inference-next"]);
    expect(waitingForSlot).toEqual(["inference-later"]);
  });

  it("gives its slot back when it is broken off, when the queue is away, and when only its predecessor had one", async () => {
    const broken = taken(1);
    const controller = new AbortController();
    broken.fleet.write = () => {
      controller.abort(new Cancelled());
      throw controller.signal.reason;
    };
    await expect(broken.take(controller.signal)).rejects.toThrow(Cancelled);
    expect([broken.steps, broken.slots.taken]).toEqual([["begin 5"], 0]);
    const away = taken(1);
    away.waitingForSlot.push("inference-next");
    away.tasks.away = new Error("the queue is away");
    expect(await away.take()).toMatchObject({ as: "ended" });
    expect([away.waitingForSlot, away.slots.taken]).toEqual([[], 0]);
    for (const left of [
      taken(1, { ready: { state: "on_disk" } }),
      taken(1, { first: { state: "running", attempts: 1, begun: true } }),
    ]) {
      left.slots.taken = 1;
      await left.take();
      expect(left.slots.taken).toBe(0);
    }
  });

  it("gives a model up after as many looks as the configuration says, with what it waited for", async () => {
    const { take, items, error } = taken(2, { ready: { state: "unreachable", worker: "w1" } });
    for (let look = 1; look <= 3; look++) {
      expect(await take()).toMatchObject({ as: "again" });
    }
    expect(await take()).toMatchObject({ as: "failed" });
    expect(error()).toBe("m:1 was not ready after 3 looks, one in 5 s: w1 cannot be reached");
    expect(items()).toMatchObject([{ problem: "model_not_ready" }, { problem: "model_not_ready" }]);
  });

  it("counts no look while what brings its model waits for its turn, or is refused for want of room", async () => {
    const { take, tasks } = taken(1, { ready: { state: "absent" } });
    for (let look = 1; look <= 20; look++) {
      expect(await take()).toMatchObject({ as: "again" });
    }
    tasks.full = new QueueFull("500 pulls are unfinished");
    for (let look = 1; look <= 20; look++) {
      expect(await take()).toMatchObject({ as: "again" });
    }
    tasks.full = undefined;
    const [report] = tasks.reports.values();
    tasks.find = async (id) => ({ ...(report as TaskReport), id, state: "running" });
    for (let look = 1; look <= 3; look++) {
      expect(await take()).toMatchObject({ as: "again" });
    }
    expect(await take()).toMatchObject({ as: "failed" });
  });

  it("puts a prompt to an engine three times at most, and fails it alone", async () => {
    const { take, items, fleet } = taken(2);
    let asked = 0;
    const { write } = fleet;
    fleet.write = (...args) => {
      asked += 1;
      if (asked <= 3) {
        throw new EngineUnavailable("broken");
      }
      return write(...args);
    };
    let end = await take();
    while (end.as === "again") {
      end = await take();
    }
    expect(end).toMatchObject({ as: "ended" });
    expect(items()).toMatchObject([
      { state: "failed", problem: "engine_failed", attempts: 3 },
      { state: "completed", finishReason: "stop", attempts: 1 },
    ]);
  });

  it("that is cancelled leaves what is being answered to who does so, unless all is to end", async () => {
    const first: Item = { ...WAITING, state: "running", begun: true, attempts: 1 };
    const { turns, items, steps } = taken(2, { first });
    await turns.cancel(ID, "waiting");
    expect(items().map(({ state }) => state)).toEqual(["running", "cancelled"]);
    expect(steps).toEqual([]);
    await turns.cancel(ID, "all");
    expect(items().map(({ state }) => state)).toEqual(["cancelled", "cancelled"]);
    expect(steps).toEqual(["end"]);
  });

  it("that is cancelled while its last prompt is answered says so, and keeps what was answered before", async () => {
    for (const prompts of [1, 2]) {
      const { take, items, error, fleet } = taken(prompts);
      const asker = new AbortController();
      const { write } = fleet;
      let asked = 0;
      fleet.write = (request, signal) => (++asked < prompts ? write(request, signal) : endless(signal, asker));
      expect(await take(asker.signal)).toEqual({ as: "failed", error: "cancelled" });
      expect(error()).toBe("cancelled");
      expect(items().map(({ state }) => state)).toEqual([...(prompts > 1 ? ["completed"] : []), "cancelled"]);
    }
  });
});

/** Writes until it is told to end; its asker cancels it after the first piece. */
async function* endless(signal: AbortSignal, asker: AbortController): AsyncIterable<GenerationEvent> {
  yield { type: "text", text: "a" };
  setImmediate(() => asker.abort(new Cancelled()));
  await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
