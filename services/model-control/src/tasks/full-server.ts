/**
 * Lua scripts for a full server (`maxmemory` with `noeviction`), which refuses a script at its
 * first allocating write, but allows all after a non-allocating one. `QueueRoom` and `Admission`
 * limit new work; existing work must end to free memory.
 *
 * Source: Redis 7.0 src/script.c, scriptVerifyOOM: a script that has written (SCRIPT_WRITE_DIRTY)
 * goes on.
 */
import type { Redis } from "ioredis";
import { QUEUE_PREFIX } from "./lanes";

/** Unused key: deleting it has no effect. */
const NOTHING = `${QUEUE_PREFIX}:nothing`;

/** Lets a full server accept the script. */
export function evenWhenFull(lua: string): string {
  return `redis.call("del", "${NOTHING}")\n${lua}`;
}

/** Read-only scripts of the queue's library; the others write. */
const READS = /^(get|is|paginate|relayGet)/;

/** Makes the queue's library define its scripts on this connection for a full server. */
export function defineEvenWhenFull(redis: Redis): void {
  const define = redis.defineCommand.bind(redis);
  redis.defineCommand = (name, definition) =>
    define(name, READS.test(name) ? definition : { ...definition, lua: evenWhenFull(definition.lua) });
}
