import type { Redis } from "ioredis";
import { z } from "zod";
import type { ChatMessage, GenerationInput, Sampling } from "../backends/generation";
import { ROLES } from "../backends/generation";
import type { InferenceConfig } from "../config";
import type { Wanted } from "../tasks/caretaker";
import { askedKeys, idempotencyKey, indexKeys, taskKeys } from "./keys";
import {
  type InferenceTask,
  type Item,
  itemSchema,
  type StoredItem,
  type StoredTask,
  taskSchema,
  WAITING,
} from "./record";
import { CONFIRM, COUNT_POLL, CREATE, END, FORGET, NOTE, WRITE } from "./scripts";
import type { Sealer } from "./sealing";

/** Time to queue a new task, in milliseconds; after that it is dropped. */
const TRIAL = 60_000;

/** Records per query. */
const READ_AT_ONCE = 500;

const inputSchema = z.union([
  z.object({ messages: z.array(z.object({ role: z.enum(ROLES), content: z.string() })) }),
  z.object({ prompt: z.string() }),
]) satisfies z.ZodType<{ readonly messages: readonly ChatMessage[] } | { readonly prompt: string }>;
const samplingSchema = z.object({
  temperature: z.number().optional(),
  topP: z.number().optional(),
  seed: z.number().optional(),
  stop: z.array(z.string()).optional(),
}) satisfies z.ZodType<Sampling>;

export interface NewTask {
  readonly id: string;
  readonly task: InferenceTask;
  readonly inputs: readonly GenerationInput[];
  readonly sampling: Sampling;
  /** Marks of the idempotency key and body: see `Sealer.marks`. */
  readonly idempotency?: {
    readonly keys: readonly [string, ...string[]];
    readonly bodies: readonly [string, ...string[]];
  };
}

export type Made =
  | { readonly as: "made" }
  /** The idempotency key belongs to this task. */
  | { readonly as: "known"; readonly id: string; readonly sameBody: boolean }
  | { readonly as: "full"; readonly whose: "owner" | "all" };

/** `taken`: another process owns the item. `gone`: the task was deleted or has expired. */
export type Written = "written" | "taken" | "gone";

/** Encrypted prompts, answers and their states, in Redis or Valkey. */
export class InferenceStore {
  /** Start of the current connection, by this process's clock. */
  private reachedSince: number;

  constructor(
    private readonly redis: Redis,
    private readonly sealer: Sealer,
    private readonly config: Pick<InferenceConfig, "lifeSeconds" | "keepSeconds" | "queued" | "queuedPerCaller">,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.reachedSince = now();
    redis.on("ready", () => {
      this.reachedSince = now();
    });
  }

  async create({ id, task, inputs, sampling, idempotency }: NewTask): Promise<Made> {
    const marks = (idempotency?.keys ?? []).map(idempotencyKey);
    const { record, prompts } = taskKeys(id);
    const { open, openOfOwner, ofOwner, waiting } = indexKeys(task.owner);
    const keys = [record, prompts, open, openOfOwner, ofOwner, waiting, ...marks];
    const sealed = inputs.map((input, index) =>
      this.sealer.seal(JSON.stringify(input), { task: id, index, what: "prompt" }),
    );
    const answer = (await this.redis.eval(
      CREATE,
      keys.length,
      ...keys,
      id,
      task.createdAt,
      this.config.lifeSeconds * 1000,
      TRIAL,
      this.config.queuedPerCaller,
      this.config.queued,
      idempotency?.bodies[0] ?? "",
      JSON.stringify(task),
      JSON.stringify(WAITING),
      ...sealed,
      this.sealer.seal(JSON.stringify(sampling), { task: id, index: OPTIONS, what: "prompt" }),
    )) as readonly string[];
    const [as, what = "", body] = answer;
    switch (as) {
      case "known":
        return { as, id: what, sameBody: hasMark(idempotency?.bodies, body) };
      case "full":
        return { as, whose: what === "owner" ? "owner" : "all" };
      default:
        await this.count(task);
        return { as: "made" };
    }
  }

  /** @returns false for a deleted or finished task. */
  async confirm(id: string, { owner, createdAt }: InferenceTask): Promise<boolean> {
    const { record, prompts } = taskKeys(id);
    const { open, openOfOwner, ofOwner, waiting } = indexKeys(owner);
    const life = Math.max(1, createdAt + this.config.lifeSeconds * 1000 - Date.now());
    const keys = [record, prompts, open, openOfOwner, ofOwner, waiting];
    return (await this.redis.eval(CONFIRM, keys.length, ...keys, id, createdAt, Math.ceil(life))) === 1;
  }

  /** @returns undefined for an unknown task. */
  async read(id: string): Promise<StoredTask | undefined> {
    const { record } = taskKeys(id);
    const [fields, remaining, time] = await Promise.all([
      this.redis.hgetall(record),
      this.redis.pttl(record),
      this.redis.time(),
    ]);
    if (fields.task === undefined) {
      return undefined;
    }
    const task = taskSchema.parse(JSON.parse(fields.task));
    const now = Number(time[0]) * 1000 + Number(time[1]) / 1000;
    // An outage blocks all writers, and the answer's process may reconnect later than this one.
    const reached = this.now() - this.reachedSince;
    const items = Array.from({ length: task.prompts }, (_, index): StoredItem => {
      const item = itemSchema.parse(JSON.parse(fields[`i:${index}`] ?? JSON.stringify(WAITING)));
      return {
        item,
        fence: Number(fields[`f:${index}`] ?? 0),
        silence: Math.max(0, Math.min(reached, now - Number(fields[`a:${index}`] ?? 0))),
      };
    });
    const { step, helper, error, ended } = fields;
    return { task, items, step, helper, error, remaining, endedAt: ended === undefined ? undefined : Number(ended) };
  }

  /** Owner of a task; undefined if unknown. */
  async owner(id: string): Promise<string | undefined> {
    const text = await this.redis.hget(taskKeys(id).record, "task");
    return text === null ? undefined : taskSchema.parse(JSON.parse(text)).owner;
  }

  /** Ids of the owner's tasks, newest first. */
  async idsOf(owner: string, limit: number): Promise<readonly string[]> {
    return this.redis.zrevrange(indexKeys(owner).ofOwner, 0, limit - 1);
  }

  /**
   * Recent prompts of the owner and in total, within the retention time; approximate, from two
   * counting periods.
   */
  async askedLately(owner: string): Promise<{ readonly byOwner: number; readonly byAll: number }> {
    const { now, before, elapsed } = this.countingTime();
    const keys = [now, before].flatMap((time) => Object.values(askedKeys(owner, time)));
    const [own = 0, all = 0, ownBefore = 0, allBefore = 0] = (await this.redis.mget(keys)).map(Number);
    const stillKept = 1 - elapsed;
    return { byOwner: own + stillKept * ownBefore, byAll: all + stillKept * allBefore };
  }

  /**
   * @returns undefined for a deleted prompt.
   * @throws Unsealable
   */
  async prompt(
    id: string,
    index: number,
  ): Promise<{ readonly input: GenerationInput; readonly sampling: Sampling } | undefined> {
    const fields = await this.redis.hmgetBuffer(taskKeys(id).prompts, String(index), "options");
    const [sealed, options] = fields;
    if (!sealed || !options) {
      return undefined;
    }
    return {
      input: inputSchema.parse(JSON.parse(this.sealer.open(sealed, { task: id, index, what: "prompt" }))),
      sampling: samplingSchema.parse(
        JSON.parse(this.sealer.open(options, { task: id, index: OPTIONS, what: "prompt" })),
      ),
    };
  }

  /** Answers by number; undefined if they cannot be decrypted. */
  async answers(id: string): Promise<ReadonlyMap<number, string | undefined>> {
    const fields = await this.redis.hgetallBuffer(taskKeys(id).answers);
    return new Map(
      Object.entries(fields).map(([field, sealed]) => {
        const index = Number(field);
        return [index, this.opened(sealed, id, index)];
      }),
    );
  }

  /** Writes if the item's fence is current. @param answer undefined keeps the stored one. */
  async write(
    id: string,
    index: number,
    fence: { readonly current: number; readonly next: number },
    item: Item,
    answer?: string,
  ): Promise<Written> {
    const { record, answers } = taskKeys(id);
    const sealed = answer === undefined ? "" : this.sealer.seal(answer, { task: id, index, what: "answer" });
    const args = [index, fence.current, fence.next, JSON.stringify(item), answer === undefined ? "0" : "1", sealed];
    const result = await this.redis.eval(WRITE, 2, record, answers, ...args);
    return result === 1 ? "written" : result === 0 ? "taken" : "gone";
  }

  /** Models and workers that unfinished tasks wait for. */
  async wanted(): Promise<Wanted> {
    const ids = await this.redis.zrange(indexKeys("").open, 0, -1);
    const models = new Set<string>();
    const helpers = new Set<string>();
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
      const some = ids.slice(at, at + READ_AT_ONCE);
      const records = await Promise.all(
        some.map((id) => this.redis.hmget(taskKeys(id).record, "task", "helper", "ended")),
      );
      for (const [text, helper, ended] of records) {
        if (text && !ended) {
          models.add(taskSchema.parse(JSON.parse(text)).model);
          helpers.add(helper ?? "");
        }
      }
    }
    return { models, helpers };
  }

  async end(id: string, { owner }: InferenceTask, error?: string): Promise<void> {
    const { record, prompts, answers } = taskKeys(id);
    const { open, openOfOwner, waiting } = indexKeys(owner);
    const keys = [record, prompts, answers, open, openOfOwner, waiting];
    const keep = Math.ceil(this.config.keepSeconds * 1000);
    await this.redis.eval(END, keys.length, ...keys, id, keep, Date.now(), error ?? "");
  }

  async forget(id: string, { owner }: InferenceTask): Promise<void> {
    const { record, prompts, answers } = taskKeys(id);
    const { open, openOfOwner, ofOwner, waiting } = indexKeys(owner);
    const keys = [record, prompts, answers, open, openOfOwner, ofOwner, waiting];
    await this.redis.eval(FORGET, keys.length, ...keys, id);
  }

  /** Records what the task waits for and the task that provides it; undefined clears. */
  async note(id: string, { step, helper }: { readonly step?: string; readonly helper?: string }): Promise<void> {
    await this.redis.eval(NOTE, 1, taskKeys(id).record, "step", step ?? "", "helper", helper ?? "");
  }

  /**
   * Counts a readiness check.
   * @returns the count.
   */
  async countPoll(id: string): Promise<number> {
    return Number(await this.redis.eval(COUNT_POLL, 1, taskKeys(id).record));
  }

  /** Records whether none of its prompts is at an engine. */
  async setWaiting(id: string, { owner, createdAt }: InferenceTask, isWaiting: boolean): Promise<void> {
    const { waiting } = indexKeys(owner);
    await (isWaiting ? this.redis.zadd(waiting, createdAt, id) : this.redis.zrem(waiting, id));
  }

  /** @returns tasks without a prompt at an engine, and the wait of the oldest in seconds. */
  async waiting(): Promise<{ readonly tasks: number; readonly oldestSeconds: number }> {
    const { waiting } = indexKeys("");
    const now = Date.now();
    const since = now - this.config.lifeSeconds * 1000;
    const [tasks, [, oldest]] = await Promise.all([
      this.redis.zcount(waiting, since, "+inf"),
      this.redis.zrangebyscore(waiting, since, "+inf", "WITHSCORES", "LIMIT", 0, 1),
    ]);
    return { tasks, oldestSeconds: oldest === undefined ? 0 : Math.max(0, now - Number(oldest)) / 1000 };
  }

  private async count({ owner, prompts }: InferenceTask): Promise<void> {
    const counting = this.redis.multi();
    for (const key of Object.values(askedKeys(owner, this.countingTime().now))) {
      counting.incrby(key, prompts).expire(key, Math.ceil(2 * this.config.keepSeconds));
    }
    await counting.exec();
  }

  /** Counting periods are as long as the retention of answers. */
  private countingTime(): { readonly now: number; readonly before: number; readonly elapsed: number } {
    const times = Date.now() / (this.config.keepSeconds * 1000);
    const now = Math.floor(times);
    return { now, before: now - 1, elapsed: times - now };
  }

  private opened(sealed: Buffer, task: string, index: number): string | undefined {
    try {
      return this.sealer.open(sealed, { task, index, what: "answer" });
    } catch {
      return undefined;
    }
  }
}

/** Number under which the options are encrypted. */
const OPTIONS = -1;

function hasMark(marks: readonly string[] | undefined, mark: string | null | undefined): boolean {
  return marks?.some((one) => one === mark) ?? false;
}
