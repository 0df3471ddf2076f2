/** Lua scripts, as only the server can check and change in one atomic step. */

/**
 * Creates a task, unless its key exists or the queue is full. The first write must be one that a
 * full server refuses: Redis allows all later writes of a script.
 *
 * KEYS: record, prompts, open, open of owner, of owner, waiting; then the idempotency key under
 * each key of the file, current first, as replicas may still use an old file. ARGV: id,
 * milliseconds since the epoch, of the task's life, until it must be confirmed, limit per owner,
 * limit in total, mark of the body ("" without an idempotency key), the task, an item, then the
 * encrypted prompts, the options last.
 *
 * @returns {"made"}, {"known", id, mark of its body}, or {"full", "owner" or "all"}.
 */
export const CREATE = `local id, now, life, trial = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local mark = ARGV[7]
for index = 7, #KEYS do
  local known = redis.call("hmget", KEYS[index], "task", "body")
  if known[1] then return {"known", known[1], known[2]} end
end
local alive = "(" .. (now - life)
if redis.call("zcount", KEYS[4], alive, "+inf") >= tonumber(ARGV[5]) then return {"full", "owner"} end
if redis.call("zcount", KEYS[3], alive, "+inf") >= tonumber(ARGV[6]) then return {"full", "all"} end
redis.call("hset", KEYS[1], "task", ARGV[8])
for _, key in ipairs({KEYS[3], KEYS[4], KEYS[5], KEYS[6]}) do
  redis.call("zremrangebyscore", key, "-inf", now - life)
end
local prompts = #ARGV - 10
for index = 0, prompts - 1 do
  redis.call("hset", KEYS[1], "i:" .. index, ARGV[9])
  redis.call("hset", KEYS[2], index, ARGV[10 + index])
end
redis.call("hset", KEYS[2], "options", ARGV[#ARGV])
if #KEYS > 6 then
  redis.call("hset", KEYS[7], "task", id, "body", mark)
  redis.call("pexpire", KEYS[7], trial)
  redis.call("hset", KEYS[1], "key", KEYS[7])
end
redis.call("pexpire", KEYS[1], trial)
redis.call("pexpire", KEYS[2], trial)
for _, key in ipairs({KEYS[3], KEYS[4], KEYS[5], KEYS[6]}) do
  redis.call("zadd", key, now - life + trial, id)
  redis.call("pexpire", key, 2 * life)
end
return {"made"}`;

/**
 * Confirms that the task is queued, and sets its full lifetime.
 *
 * KEYS: record, prompts, open, open of owner, of owner, waiting. ARGV: id, its time, remaining life
 * in milliseconds.
 *
 * @returns 0 for a deleted or finished task.
 */
export const CONFIRM = `if redis.call("exists", KEYS[1]) == 0 or redis.call("hexists", KEYS[1], "ended") == 1 then return 0 end
for index = 1, 2 do redis.call("pexpire", KEYS[index], ARGV[3]) end
local key = redis.call("hget", KEYS[1], "key")
if key then redis.call("pexpire", key, ARGV[3]) end
for index = 3, 6 do redis.call("zadd", KEYS[index], ARGV[2], ARGV[1]) end
return 1`;

/**
 * Writes an item and its answer if the fence is current.
 *
 * KEYS: record, answers. ARGV: item number, current fence, new fence, the item, whether there is an
 * answer ("1"), the encrypted answer.
 *
 * @returns 1; 0 if another process took the item; -1 if the task was deleted.
 */
export const WRITE = `if redis.call("exists", KEYS[1]) == 0 then return -1 end
local index = ARGV[1]
local fence = redis.call("hget", KEYS[1], "f:" .. index) or "0"
if fence ~= ARGV[2] then return 0 end
local time = redis.call("time")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("hset", KEYS[1], "f:" .. index, ARGV[3], "i:" .. index, ARGV[4], "a:" .. index, now)
if ARGV[5] == "1" then
  redis.call("hset", KEYS[2], index, ARGV[6])
  redis.call("pexpire", KEYS[2], redis.call("pttl", KEYS[1]))
end
return 1`;

/**
 * Ends a task: deletes prompts, keeps answers for a time.
 *
 * KEYS: record, prompts, answers, open, open of owner, waiting. ARGV: id, retention in
 * milliseconds, end time, error or "".
 */
export const END = `redis.call("del", KEYS[2])
for index = 4, 6 do redis.call("zrem", KEYS[index], ARGV[1]) end
if redis.call("exists", KEYS[1]) == 0 then return -1 end
if redis.call("hsetnx", KEYS[1], "ended", ARGV[3]) == 0 then return 0 end
redis.call("hdel", KEYS[1], "step", "helper")
if ARGV[4] ~= "" then redis.call("hset", KEYS[1], "error", ARGV[4]) end
local key = redis.call("hget", KEYS[1], "key")
for _, kept in ipairs({KEYS[1], KEYS[3], key or KEYS[1]}) do redis.call("pexpire", kept, ARGV[2]) end
return 1`;

/** KEYS: record, prompts, answers, open, open of owner, of owner, waiting. ARGV: id. */
export const FORGET = `local key = redis.call("hget", KEYS[1], "key")
if key then redis.call("del", key) end
for index = 1, 3 do redis.call("del", KEYS[index]) end
for index = 4, 7 do redis.call("zrem", KEYS[index], ARGV[1]) end
return 1`;

/**
 * Changes fields of an existing record. KEYS: record. ARGV: pairs of field and value; "" deletes
 * the field.
 *
 * @returns 0 for a deleted task.
 */
export const NOTE = `if redis.call("exists", KEYS[1]) == 0 then return 0 end
for at = 1, #ARGV, 2 do
  if ARGV[at + 1] == "" then redis.call("hdel", KEYS[1], ARGV[at])
  else redis.call("hset", KEYS[1], ARGV[at], ARGV[at + 1]) end
end
return 1`;

/**
 * Counts a readiness check. KEYS: record.
 * @returns the count; 0 for a deleted task.
 */
export const COUNT_POLL = `if redis.call("exists", KEYS[1]) == 0 then return 0 end
return redis.call("hincrby", KEYS[1], "polls", 1)`;
