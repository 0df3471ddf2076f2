import type { Redis } from "ioredis";
import type { TurnKeys } from "./turn-keys";

/** How long a slot outlives the longest work whose process never gave it back, in milliseconds. */
const GRACE = 60_000;

/**
 * Frees what was never given back in time; `now` is the server's time from then on, in milliseconds. KEYS[1]: taken.
 *
 * As the first write it is one that a full server takes: what is under way ends there as well.
 */
const FREE_LATE = `local time = redis.call("time")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("zremrangebyscore", KEYS[1], "-inf", now)`;

/** Takes a slot, or finds that the task has one. KEYS: taken. ARGV: id, most, milliseconds until it is free by itself. */
const TAKE = `${FREE_LATE}
if not redis.call("zscore", KEYS[1], ARGV[1]) and redis.call("zcard", KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call("zadd", KEYS[1], now + ARGV[3], ARGV[1])
if redis.call("pttl", KEYS[1]) < tonumber(ARGV[3]) then redis.call("pexpire", KEYS[1], ARGV[3]) end
return 1`;

/**
 * Waits for one. KEYS: taken, waiting. ARGV: id, its place, most, milliseconds until the list of those who wait is forgotten.
 *
 * @returns 1 where one has become free meanwhile: nobody will tell the task so.
 */
const WAIT = `${FREE_LATE}
if redis.call("zcard", KEYS[1]) < tonumber(ARGV[3]) then return 1 end
redis.call("zadd", KEYS[2], ARGV[2], ARGV[1])
redis.call("pexpire", KEYS[2], ARGV[4])
return 0`;

/**
 * Keeps one of the tasks that a lane runs at the same time for other owners: an engine that never answers, or a registry that is
 * slow, would else hold every one of them for whoever asks it much. Where there is one only, there is nothing to keep.
 */
export class Slots {
  private readonly most: number;

  /** @param concurrency tasks at the same time, of all owners. */
  constructor(
    private readonly redis: Redis,
    concurrency: number,
    private readonly keys: Pick<TurnKeys, "taken" | "waiting">,
  ) {
    this.most = Math.max(1, concurrency - 1);
  }

  /** @param seconds that the work may take. @returns false where the owner's other tasks have as many as it may have. */
  async take(owner: string, id: string, seconds: number): Promise<boolean> {
    const lasts = Math.ceil(seconds * 1000) + GRACE;
    return (await this.redis.eval(TAKE, 1, this.keys.taken(owner), id, this.most, lasts)) === 1;
  }

  async holds(owner: string, id: string): Promise<boolean> {
    return (await this.redis.zscore(this.keys.taken(owner), id)) !== null;
  }

  /** Gives it back. @returns false where the task had none. */
  async leave(owner: string, id: string): Promise<boolean> {
    return (await this.redis.zrem(this.keys.taken(owner), id)) === 1;
  }

  /**
   * Gives the task's slot back, if it has one, to the first of those that wait for it and are still there.
   *
   * @param wake tells a task to try again; false for one that does not wait any more.
   */
  async handOn(owner: string, id: string, wake: (id: string) => Promise<boolean>): Promise<void> {
    if (!(await this.leave(owner, id))) {
      return;
    }
    let next = await this.next(owner);
    // Where the queue is away, each of them looks by itself.
    while (next !== undefined && !(await wake(next).catch(() => false))) {
      next = await this.next(owner);
    }
  }

  /** @returns the owner's task with the lowest place of those that wait, which waits no more. */
  async next(owner: string): Promise<string | undefined> {
    const [id] = await this.redis.zpopmin(this.keys.waiting(owner));
    return id;
  }

  /** @param milliseconds after which the task tries by itself. @returns false where there is a slot by now. */
  async wait(owner: string, id: string, place: number, milliseconds: number): Promise<boolean> {
    const [taken, waiting] = [this.keys.taken(owner), this.keys.waiting(owner)];
    return (await this.redis.eval(WAIT, 2, taken, waiting, id, place, this.most, 2 * milliseconds)) === 0;
  }
}
