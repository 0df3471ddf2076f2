/**
 * Steps of Lua on a server that has no memory left (`maxmemory` with `noeviction`): it refuses a step at its first write that may take
 * memory, and lets through whatever follows a write that takes none. What gets into the queue is bounded before (`QueueRoom`,
 * `Admission`); what is in it must go on, and end, for only that frees memory.
 *
 * Source: Redis 7.0 src/script.c, scriptVerifyOOM: a script that has written (SCRIPT_WRITE_DIRTY) goes on.
 */
import type { Redis } from "ioredis";
import { QUEUE_PREFIX } from "./lanes";

/** A key that nobody ever writes: to delete it changes nothing. */
const NOTHING = `${QUEUE_PREFIX}:nothing`;

/** The step, taken by a full server as well. */
export function evenWhenFull(lua: string): string {
  return `redis.call("del", "${NOTHING}")\n${lua}`;
}

/** Steps of the queue's library that only read; the others write. */
const READS = /^(get|is|paginate|relayGet)/;

/** Has the queue's library define its steps on this connection so that a full server takes them. */
export function defineEvenWhenFull(redis: Redis): void {
  const define = redis.defineCommand.bind(redis);
  redis.defineCommand = (name, definition) =>
    define(name, READS.test(name) ? definition : { ...definition, lua: evenWhenFull(definition.lua) });
}
