import type { Redis } from "ioredis";
import { evenWhenFull } from "./full-server";
import { type Lane, QUEUE_PREFIX } from "./lanes";

/** `gone`: has ended, or will. `known`: the owner had joined before. */
export type Joined = "gone" | "known" | "joined";

/**
 * Adds an owner to an unfinished task; priority tasks have none. The task counts for its first
 * owner, who requested it or took it over from inference, and protects it from cancellation. KEYS:
 * the task. ARGV: owner, or "" without turns; "1" if an inference task needs it.
 */
const JOIN = evenWhenFull(`local text = redis.call("hget", KEYS[1], "data")
if not text or redis.call("hexists", KEYS[1], "finishedOn") == 1 then return "gone" end
local data = cjson.decode(text)
if data.cancelled then return "gone" end
local answer = "known"
if data.owners and ARGV[1] == "" then
  data.owners = nil
  answer = "joined"
elseif data.owners then
  local isKnown = false
  for _, owner in ipairs(data.owners) do isKnown = isKnown or owner == ARGV[1] end
  if not isKnown then
    table.insert(data.owners, ARGV[1])
    answer = "joined"
  end
end
local isHelper = data.helper
if ARGV[2] ~= "1" and isHelper then
  data.helper = nil
  if data.owners then
    local owners = { ARGV[1] }
    for _, owner in ipairs(data.owners) do
      if owner ~= ARGV[1] then table.insert(owners, owner) end
    end
    data.owners = owners
  end
end
if answer == "joined" or data.helper ~= isHelper then redis.call("hset", KEYS[1], "data", cjson.encode(data)) end
return answer`);

/** Marks an unneeded helper. KEYS: the task. @returns 0 if it is no helper, or has ended. */
const ABANDON = evenWhenFull(`local text = redis.call("hget", KEYS[1], "data")
if not text or redis.call("hexists", KEYS[1], "finishedOn") == 1 then return 0 end
local data = cjson.decode(text)
if data.cancelled or not data.helper then return 0 end
data.cancelled = true
data.unwanted = true
redis.call("hset", KEYS[1], "data", cjson.encode(data))
return 1`);

export class Owners {
  constructor(private readonly redis: Redis) {}

  /** @param owner undefined: tasks of the caller have no turns. */
  async join(lane: Lane, id: string, owner: string | undefined, forInference: boolean): Promise<Joined> {
    return (await this.redis.eval(JOIN, 1, keyOf(lane, id), owner ?? "", forInference ? "1" : "0")) as Joined;
  }

  async abandon(lane: Lane, id: string): Promise<boolean> {
    return (await this.redis.eval(ABANDON, 1, keyOf(lane, id))) === 1;
  }
}

function keyOf(lane: Lane, id: string): string {
  return `${QUEUE_PREFIX}:${lane}:${id}`;
}
