import type { Redis } from "ioredis";
import { type Lane, QUEUE_PREFIX } from "./lanes";

/** Maximum time from admission to queueing, in milliseconds. */
const ADMITTED_FOR = 10_000;

/** Limits of unfinished tasks in a lane. */
export interface Caps {
  readonly perOwner: number;
  readonly all: number;
}

/** `owner`, `all`: which limit was reached. */
export type Admitted = "admitted" | "owner" | "all";

/**
 * Admits a task. Counts unfinished tasks in the queue itself, so a dead process leaves no count
 * behind, and admitted tasks not yet queued. A task counts only for its first owner.
 *
 * KEYS: admitted, wait, active, prioritized, delayed. ARGV: prefix of the tasks' keys, owner, what
 * it requests, milliseconds, limit per owner, limit in total.
 */
const ADMIT = `local time = redis.call("time")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("zremrangebyscore", KEYS[1], "-inf", now)
local admitted = redis.call("zrange", KEYS[1], 0, -1)
local total = #admitted + redis.call("llen", KEYS[2]) + redis.call("llen", KEYS[3])
  + redis.call("zcard", KEYS[4]) + redis.call("zcard", KEYS[5])
if total >= tonumber(ARGV[6]) then return "all" end
local own = 0
for _, one in ipairs(admitted) do
  if string.sub(one, 1, #ARGV[2] + 1) == ARGV[2] .. " " then own = own + 1 end
end
local function count(ids)
  for _, id in ipairs(ids) do
    local text = redis.call("hget", ARGV[1] .. id, "data")
    local data = text and cjson.decode(text) or {}
    if data.owners and data.owners[1] == ARGV[2] then own = own + 1 end
  end
end
for index = 2, 3 do count(redis.call("lrange", KEYS[index], 0, -1)) end
for index = 4, 5 do count(redis.call("zrange", KEYS[index], 0, -1)) end
if own >= tonumber(ARGV[5]) then return "owner" end
redis.call("zadd", KEYS[1], now + ARGV[4], ARGV[2] .. " " .. ARGV[3])
return "admitted"`;

export class Admission {
  constructor(
    private readonly redis: Redis,
    private readonly caps: Caps,
  ) {}

  /**
   * @param what equal for requests that share a task.
   * @param isNew false for a queued task that is to become this owner's.
   */
  async admit(lane: Lane, owner: string, what: string, isNew = true): Promise<Admitted> {
    const keys = ["wait", "active", "prioritized", "delayed"].map((part) => `${QUEUE_PREFIX}:${lane}:${part}`);
    const all = isNew ? this.caps.all : Number.MAX_SAFE_INTEGER;
    const args = [`${QUEUE_PREFIX}:${lane}:`, owner, what, ADMITTED_FOR, this.caps.perOwner, all];
    return (await this.redis.eval(ADMIT, 5, admittedKey(lane), ...keys, ...args)) as Admitted;
  }

  /** It is queued, or will not be. */
  async settle(lane: Lane, owner: string, what: string): Promise<void> {
    await this.redis.zrem(admittedKey(lane), `${owner} ${what}`);
  }
}

function admittedKey(lane: Lane): string {
  return `${QUEUE_PREFIX}:turns:${lane}:admitted`;
}
