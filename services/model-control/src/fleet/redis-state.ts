import type { Redis } from "ioredis";
import { z } from "zod";
import { ControlError, QueueUnavailable, WorkerBusy } from "../errors";
import { evenWhenFull } from "../tasks/full-server";
import { redisFailure } from "../tasks/redis";
import { withRedisLease } from "./redis-lease";
import type { FleetState, Lease, ModelRecord, ModelSize, PullRecord, WorkerRecord } from "./state";

/** A pull without a heartbeat this long counts as ended. */
const PULL_SILENCE_SECONDS = 30;
/** Expiry of leftovers: engines remove them at startup without notice. */
const LEFTOVER_SECONDS = 24 * 3600;

/** Write that requires the current lease. */
const SET_UNDER_LEASE = evenWhenFull(`if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
redis.call("set", KEYS[2], ARGV[2])
return 1`);

/** A request without a heartbeat this long counts as ended. */
const USE_SILENCE_SECONDS = 30;

// Uses of a worker: sorted set of "use model", scored by expiry in server time. Marks of leaving
// models hold as long as their lease.
const NOW = `local time = redis.call("time")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;
const BEGIN_USE = `${NOW}local mark = redis.call("hget", KEYS[2], ARGV[2])
if mark and mark == redis.call("get", KEYS[1]) then return 0 end
redis.call("zadd", KEYS[3], now + ARGV[3], ARGV[1] .. " " .. ARGV[2])
return 1`;
const KEEP_USE = `${NOW}return redis.call("zadd", KEYS[1], "XX", now + ARGV[2], ARGV[1])`;
const LIST_USES = `${NOW}redis.call("zremrangebyscore", KEYS[1], "-inf", now)
return redis.call("zrange", KEYS[1], 0, -1)`;
const LEAVE = evenWhenFull(`${NOW}if redis.call("get", KEYS[1]) ~= ARGV[1] then return -1 end
redis.call("hset", KEYS[2], ARGV[2], ARGV[1])
redis.call("zremrangebyscore", KEYS[3], "-inf", now)
local count = 0
for _, entry in ipairs(redis.call("zrange", KEYS[3], 0, -1)) do
  if string.sub(entry, string.find(entry, " ", 1, true) + 1) == ARGV[2] then count = count + 1 end
end
return count`);
const STAY = `if redis.call("hget", KEYS[1], ARGV[2]) ~= ARGV[1] then return 0 end
return redis.call("hdel", KEYS[1], ARGV[2])`;

const WORKER = z.object({
  phase: z.enum(["running", "draining", "stopped", "starting"]),
  rewarm: z.array(z.string()),
  replicas: z.int().min(0).optional(),
});
const MODEL = z.object({ lastUsed: z.number(), useMark: z.string().optional(), diskBytes: z.number().optional() });
const SIZE = z.object({ diskBytes: z.number().optional(), memoryBytes: z.number().optional() });
const PULL = z.object({
  totalBytes: z.number(),
  completedBytes: z.number(),
  running: z.boolean(),
  /** Milliseconds since the epoch. */
  at: z.number(),
});
const USES = z.array(z.string());
type StoredPull = z.output<typeof PULL>;
type StoredModel = z.output<typeof MODEL>;

/** Fields per command: the number of arguments is limited. */
const FIELDS_AT_ONCE = 500;

/**
 * State in Redis or Valkey. Keys of a worker share a hash tag, which keeps them on one cluster
 * node.
 */
export class RedisFleetState implements FleetState {
  /**
   * @param redis must time out instead of waiting indefinitely.
   * @param onBroken called for an unreadable entry, which counts as absent until rewritten.
   */
  constructor(
    private readonly redis: Redis,
    private readonly onBroken: (key: string) => void = () => undefined,
    private readonly prefix = "model-control",
  ) {}

  async withLease<T>(
    worker: string,
    waitSeconds: number,
    signal: AbortSignal,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T> {
    const keys = { lease: this.key(worker, "lease"), fence: this.key(worker, "fence") };
    let working = false;
    const run = (lease: Lease) => {
      working = true;
      return work(lease);
    };
    try {
      return await withRedisLease(this.redis, keys, { worker, waitSeconds, signal }, run);
    } catch (error) {
      // Keeps errors of the work; before it starts, only Redis or the caller's signal can fail.
      if (working || signal.aborted || error instanceof ControlError) {
        throw error;
      }
      throw unavailable(error);
    }
  }

  async worker(worker: string): Promise<WorkerRecord> {
    const key = this.key(worker, "record");
    const text = await this.ask(() => this.redis.get(key));
    const record = text === null ? undefined : this.read(key, text, WORKER);
    return record ?? { phase: "running", rewarm: [] };
  }

  async setWorker({ worker, fence }: Lease, record: WorkerRecord): Promise<void> {
    const [lease, key] = [this.key(worker, "lease"), this.key(worker, "record")];
    const written = await this.ask(() =>
      this.redis.eval(SET_UNDER_LEASE, 2, lease, key, fence, JSON.stringify(record)),
    );
    if (written !== 1) {
      throw new WorkerBusy(`${worker}: another process took over the work on this worker`);
    }
  }

  async models(worker: string): Promise<ReadonlyMap<string, ModelRecord>> {
    const stored = await this.entries(this.key(worker, "models"), MODEL);
    return new Map(stored.map(([model, record]) => [model, { ...record, lastUsed: new Date(record.lastUsed) }]));
  }

  async setModels(worker: string, changed: ReadonlyMap<string, ModelRecord>, gone: readonly string[]): Promise<void> {
    const key = this.key(worker, "models");
    const fields = [...changed].map(([model, record]): [string, string] => {
      const stored: StoredModel = { ...record, lastUsed: record.lastUsed.getTime() };
      return [model, JSON.stringify(stored)];
    });
    for (const some of chunks(fields)) {
      await this.ask(() => this.redis.hset(key, ...some.flat()));
    }
    for (const some of chunks(gone)) {
      await this.ask(() => this.redis.hdel(key, ...some));
    }
  }

  async sizes(): Promise<ReadonlyMap<string, ModelSize>> {
    return new Map(await this.entries(`${this.prefix}:sizes`, SIZE));
  }

  async setSize(model: string, size: ModelSize): Promise<void> {
    await this.ask(() => this.redis.hset(`${this.prefix}:sizes`, model, JSON.stringify(size)));
  }

  async beginUse(worker: string, model: string, use: string): Promise<boolean> {
    const keys = [this.key(worker, "lease"), this.key(worker, "leaving"), this.key(worker, "uses")];
    const begun = await this.ask(() => this.redis.eval(BEGIN_USE, 3, ...keys, use, model, USE_SILENCE_SECONDS * 1000));
    return begun === 1;
  }

  async keepUse(worker: string, model: string, use: string): Promise<void> {
    const key = this.key(worker, "uses");
    await this.ask(() => this.redis.eval(KEEP_USE, 1, key, `${use} ${model}`, USE_SILENCE_SECONDS * 1000));
  }

  async endUse(worker: string, model: string, use: string): Promise<void> {
    await this.ask(() => this.redis.zrem(this.key(worker, "uses"), `${use} ${model}`));
  }

  async usedModels(worker: string): Promise<ReadonlySet<string>> {
    const entries = USES.parse(await this.ask(() => this.redis.eval(LIST_USES, 1, this.key(worker, "uses"))));
    return new Set(entries.map((entry) => entry.slice(entry.indexOf(" ") + 1)));
  }

  async leave({ worker, fence }: Lease, model: string): Promise<number> {
    const keys = [this.key(worker, "lease"), this.key(worker, "leaving"), this.key(worker, "uses")];
    const count = Number(await this.ask(() => this.redis.eval(LEAVE, 3, ...keys, fence, model)));
    if (count < 0) {
      throw new WorkerBusy(`${worker}: another process took over the work on this worker`);
    }
    return count;
  }

  async stay({ worker, fence }: Lease, model: string): Promise<void> {
    await this.ask(() => this.redis.eval(STAY, 1, this.key(worker, "leaving"), fence, model));
  }

  async pulls(worker: string): Promise<ReadonlyMap<string, PullRecord>> {
    const now = Date.now();
    const stored = await this.entries(this.key(worker, "pulls"), PULL);
    const current = stored.filter(([, { at }]) => now - at < LEFTOVER_SECONDS * 1000);
    return new Map(
      current.map(([model, { running, at, totalBytes, completedBytes }]) => [
        model,
        { running: running && now - at < PULL_SILENCE_SECONDS * 1000, totalBytes, completedBytes },
      ]),
    );
  }

  async setPull(worker: string, model: string, record: PullRecord): Promise<void> {
    const stored: StoredPull = { ...record, at: Date.now() };
    await this.ask(() => this.redis.hset(this.key(worker, "pulls"), model, JSON.stringify(stored)));
  }

  async endPull(worker: string, model: string): Promise<void> {
    await this.ask(() => this.redis.hdel(this.key(worker, "pulls"), model));
  }

  async forgetLeftovers(worker: string, olderThanSeconds: number): Promise<void> {
    const key = this.key(worker, "pulls");
    const oldest = Math.max(olderThanSeconds, PULL_SILENCE_SECONDS);
    const old = (await this.entries(key, PULL)).filter(([, { at, running }]) => {
      return Date.now() - at >= (running ? oldest : olderThanSeconds) * 1000;
    });
    const models = old.map(([model]) => model);
    for (const some of chunks(models)) {
      await this.ask(() => this.redis.hdel(key, ...some));
    }
  }

  private key(worker: string, what: string): string {
    return `${this.prefix}:{${worker}}:${what}`;
  }

  private async entries<T>(key: string, schema: z.ZodType<T>): Promise<[string, T][]> {
    const fields = await this.ask(() => this.redis.hgetall(key));
    return Object.entries(fields).flatMap(([field, text]): [string, T][] => {
      const value = this.read(`${key} ${field}`, text, schema);
      return value === undefined ? [] : [[field, value]];
    });
  }

  private read<T>(key: string, text: string, schema: z.ZodType<T>): T | undefined {
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      this.onBroken(key);
      return undefined;
    }
  }

  private async ask<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await command();
    } catch (error) {
      throw unavailable(error);
    }
  }
}

function chunks<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / FIELDS_AT_ONCE);
  return Array.from({ length: count }, (_, i) => items.slice(i * FIELDS_AT_ONCE, (i + 1) * FIELDS_AT_ONCE));
}

function unavailable(error: unknown): QueueUnavailable {
  return new QueueUnavailable(`Redis does not answer: ${redisFailure(error)}`);
}
