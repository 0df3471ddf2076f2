import type { Redis } from "ioredis";
import { messageOf } from "../backends/engine-client";
import { ControlError, QueueUnavailable, WorkerBusy } from "../errors";
import { withRedisLease } from "./redis-lease";
import type { FleetState, Lease, ModelRecord, ModelSize, PullRecord, WorkerRecord } from "./state";

/** A pull of which nothing was heard for this long does not run any more. */
const PULL_SILENCE_SECONDS = 30;
/** Engines remove what pulls left when they start, and do not say so: after this long it counts no more. */
const LEFTOVER_SECONDS = 24 * 3600;

/** A write that counts only while the lease is the current one. */
const SET_UNDER_LEASE = `if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
redis.call("set", KEYS[2], ARGV[2])
return 1`;

interface StoredPull {
  readonly totalBytes: number;
  readonly completedBytes: number;
  readonly running: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
}
interface StoredModel {
  readonly lastUsed: number;
  readonly useMark?: string;
  readonly diskBytes?: number;
}

/** On Redis or Valkey. The keys of one worker share a hash tag, so a cluster keeps them together. */
export class RedisFleetState implements FleetState {
  /** @param redis must give up on a command some time, rather than wait for the server for ever. */
  constructor(
    private readonly redis: Redis,
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
      // What the work throws is its own; before it begins, only Redis and the caller's signal can fail.
      if (working || signal.aborted || error instanceof ControlError) throw error;
      throw unavailable(error);
    }
  }

  async worker(worker: string): Promise<WorkerRecord> {
    const text = await this.ask(() => this.redis.get(this.key(worker, "record")));
    return text === null ? { phase: "running", rewarm: [] } : (JSON.parse(text) as WorkerRecord);
  }

  async setWorker({ worker, fence }: Lease, record: WorkerRecord): Promise<void> {
    const [lease, key] = [this.key(worker, "lease"), this.key(worker, "record")];
    const written = await this.ask(() =>
      this.redis.eval(SET_UNDER_LEASE, 2, lease, key, fence, JSON.stringify(record)),
    );
    if (written !== 1) throw new WorkerBusy(`${worker}: another process took over the work on this worker`);
  }

  async models(worker: string): Promise<ReadonlyMap<string, ModelRecord>> {
    const stored = await this.entries<StoredModel>(this.key(worker, "models"));
    return new Map(stored.map(([model, record]) => [model, { ...record, lastUsed: new Date(record.lastUsed) }]));
  }

  async setModels(worker: string, changed: ReadonlyMap<string, ModelRecord>, gone: readonly string[]): Promise<void> {
    const key = this.key(worker, "models");
    const fields = [...changed].flatMap(([model, record]) => {
      const stored: StoredModel = { ...record, lastUsed: record.lastUsed.getTime() };
      return [model, JSON.stringify(stored)];
    });
    if (fields.length > 0) await this.ask(() => this.redis.hset(key, ...fields));
    if (gone.length > 0) await this.ask(() => this.redis.hdel(key, ...gone));
  }

  async sizes(): Promise<ReadonlyMap<string, ModelSize>> {
    return new Map(await this.entries<ModelSize>(`${this.prefix}:sizes`));
  }

  async setSize(model: string, size: ModelSize): Promise<void> {
    await this.ask(() => this.redis.hset(`${this.prefix}:sizes`, model, JSON.stringify(size)));
  }

  async pulls(worker: string): Promise<ReadonlyMap<string, PullRecord>> {
    const now = Date.now();
    const stored = await this.entries<StoredPull>(this.key(worker, "pulls"));
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
    const old = (await this.entries<StoredPull>(key)).filter(([, { at, running }]) => {
      return Date.now() - at >= (running ? oldest : olderThanSeconds) * 1000;
    });
    const models = old.map(([model]) => model);
    if (models.length > 0) await this.ask(() => this.redis.hdel(key, ...models));
  }

  private key(worker: string, what: string): string {
    return `${this.prefix}:{${worker}}:${what}`;
  }

  private async entries<T>(key: string): Promise<[string, T][]> {
    const fields = await this.ask(() => this.redis.hgetall(key));
    return Object.entries(fields).map(([field, text]) => [field, JSON.parse(text) as T]);
  }

  private async ask<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await command();
    } catch (error) {
      throw unavailable(error);
    }
  }
}

function unavailable(error: unknown): QueueUnavailable {
  return new QueueUnavailable(`Redis does not answer: ${messageOf(error)}`);
}
