import type { Redis } from "ioredis";
import type { TurnKeys } from "./turn-keys";

/** Time a lost slot outlives the longest work, in milliseconds. */
const GRACE = 60_000;

/**
 * Frees expired slots; sets `now` to server time in milliseconds. KEYS[1]: taken.
 *
 * A full server accepts it as the first write, so running work can end.
 */
const FREE_LATE = `local time = redis.call("time")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("zremrangebyscore", KEYS[1], "-inf", now)`;

/** Takes a slot, or keeps the task's. KEYS: taken. ARGV: id, limit, milliseconds until expiry. */
const TAKE = `${FREE_LATE}
if not redis.call("zscore", KEYS[1], ARGV[1]) and redis.call("zcard", KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call("zadd", KEYS[1], now + ARGV[3], ARGV[1])
if redis.call("pttl", KEYS[1]) < tonumber(ARGV[3]) then redis.call("pexpire", KEYS[1], ARGV[3]) end
return 1`;

/**
 * Waits for a slot. KEYS: taken, waiting. ARGV: id, its place, limit, milliseconds until the
 * waiting list expires.
 *
 * @returns 1 if a slot is free: the task will not be woken.
 */
const WAIT = `${FREE_LATE}
if redis.call("zcard", KEYS[1]) < tonumber(ARGV[3]) then return 1 end
redis.call("zadd", KEYS[2], ARGV[2], ARGV[1])
redis.call("pexpire", KEYS[2], ARGV[4])
return 0`;

/**
 * Limits each owner to one less than a lane's concurrency, so slow engines or registries cannot
 * block others. No limit at concurrency 1.
 */
export class Slots {
  private readonly most: number;

  /** @param concurrency parallel tasks of all owners. */
  constructor(
    private readonly redis: Redis,
    concurrency: number,
    private readonly keys: Pick<TurnKeys, "taken" | "waiting">,
  ) {
    this.most = Math.max(1, concurrency - 1);
  }

  /**
   * @param seconds maximum duration of the work.
   * @returns false at the owner's limit.
   */
  async take(owner: string, id: string, seconds: number): Promise<boolean> {
    const lasts = Math.ceil(seconds * 1000) + GRACE;
    return (await this.redis.eval(TAKE, 1, this.keys.taken(owner), id, this.most, lasts)) === 1;
  }

  async holds(owner: string, id: string): Promise<boolean> {
    return (await this.redis.zscore(this.keys.taken(owner), id)) !== null;
  }

  /**
   * Releases the slot.
   * @returns false if the task had none.
   */
  async leave(owner: string, id: string): Promise<boolean> {
    return (await this.redis.zrem(this.keys.taken(owner), id)) === 1;
  }

  /**
   * Releases the task's slot to the first waiting task that still exists.
   *
   * @param wake returns false for a task that no longer waits.
   */
  async handOn(owner: string, id: string, wake: (id: string) => Promise<boolean>): Promise<void> {
    if (!(await this.leave(owner, id))) {
      return;
    }
    let next = await this.next(owner);
    // If the queue is unreachable, each task retries by itself.
    while (next !== undefined && !(await wake(next).catch(() => false))) {
      next = await this.next(owner);
    }
  }

  /** @returns the owner's waiting task with the lowest place, removed from the list. */
  async next(owner: string): Promise<string | undefined> {
    const [id] = await this.redis.zpopmin(this.keys.waiting(owner));
    return id;
  }

  /**
   * @param milliseconds until the task retries by itself.
   * @returns false if a slot is free.
   */
  async wait(owner: string, id: string, place: number, milliseconds: number): Promise<boolean> {
    const [taken, waiting] = [this.keys.taken(owner), this.keys.waiting(owner)];
    return (await this.redis.eval(WAIT, 2, taken, waiting, id, place, this.most, 2 * milliseconds)) === 0;
  }
}
