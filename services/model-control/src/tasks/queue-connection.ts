import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import type { ControlConfig } from "../config";
import { ControlError, messageOf, QueueUnavailable } from "../errors";
import { evenWhenFull } from "./full-server";
import type { TaskData } from "./job";
import { concurrencyOf, LANES, type Lane, type LaneConfig, QUEUE_OPTIONS } from "./lanes";
import { CONNECTION_LOST, REDIS_PATIENCE, redisAddress, redisFailure } from "./redis";
import type { TaskKind } from "./task";

export type LaneQueue = Queue<TaskData, string | null, TaskKind>;
export type LaneQueues = Readonly<Record<Lane, LaneQueue>>;

/** Total timeout of a query, in milliseconds. */
export const PATIENCE = REDIS_PATIENCE + 300;

/**
 * Sets the concurrency, also on a full server (bullmq 6.7.0, src/classes/queue.ts,
 * setGlobalConcurrency).
 */
const BOUND = evenWhenFull('return redis.call("hset", KEYS[1], "concurrency", ARGV[1])');

/** Connection of the lanes, with reconnects. */
export class QueueConnection {
  private opening?: Promise<LaneQueues>;
  private lastError = "no connection yet";

  constructor(
    private readonly redis: Redis,
    private readonly config: Pick<ControlConfig, "redis"> & LaneConfig,
  ) {
    redis.on("error", (error) => {
      this.lastError = messageOf(error);
    });
    // A server that returns empty has lost the concurrency limits.
    redis.on("ready", () => {
      // A clean disconnect emits no error, so this is the only reason known.
      this.lastError = CONNECTION_LOST;
      this.opening
        ?.then((queues) => this.boundAll(queues))
        .catch((error) => {
          this.lastError = messageOf(error);
        });
    });
  }

  /** @throws QueueUnavailable after the timeout. */
  async ask<T>(question: (queues: LaneQueues) => Promise<T>): Promise<T> {
    if (this.redis.status !== "ready") {
      throw this.unavailable(this.lastError);
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer for ${PATIENCE} ms`)), PATIENCE);
    });
    try {
      return await Promise.race([this.open().then(question), late]);
    } catch (error) {
      if (error instanceof ControlError) {
        throw error;
      }
      throw this.unavailable(redisFailure(error), error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Opens on demand, and again after failures: a queue stays broken if its first command fails. */
  private open(): Promise<LaneQueues> {
    this.opening ??= this.openLanes().catch((error) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  private async openLanes(): Promise<LaneQueues> {
    const queues = {
      pulls: this.newLane("pulls"),
      operations: this.newLane("operations"),
      inference: this.newLane("inference"),
    };
    try {
      await Promise.all(Object.values(queues).map((queue) => queue.waitUntilReady()));
      await this.boundAll(queues);
      return queues;
    } catch (error) {
      await Promise.allSettled(Object.values(queues).map((queue) => queue.close()));
      throw error;
    }
  }

  private newLane(lane: Lane): LaneQueue {
    const queue: LaneQueue = new Queue(lane, { connection: this.redis, ...QUEUE_OPTIONS });
    queue.on("error", (error) => {
      this.lastError = messageOf(error);
    });
    return queue;
  }

  /** Sets the concurrency of all lanes on the server. */
  private async boundAll(queues: LaneQueues): Promise<void> {
    await Promise.all(LANES.map((lane) => this.bound(queues, lane)));
  }

  async bound(queues: LaneQueues, lane: Lane): Promise<void> {
    const meta = queues[lane].toKey("meta");
    await this.redis.eval(BOUND, 1, meta, concurrencyOf(lane, this.config));
  }

  async close(): Promise<void> {
    const queues = await this.opening?.catch(() => undefined);
    await Promise.all(Object.values(queues ?? {}).map((queue) => queue.close()));
  }

  private unavailable(reason: string, cause?: unknown): QueueUnavailable {
    const address = redisAddress(this.config.redis);
    return new QueueUnavailable(`the task queue at ${address} cannot be reached: ${reason}`, { cause });
  }
}
