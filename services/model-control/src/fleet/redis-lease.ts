import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { QueueUnavailable, WorkerBusy } from "../errors";
import { evenWhenFull } from "../tasks/full-server";
import type { Lease } from "./state";

/** A process that dies blocks others this long. */
const TTL_SECONDS = 15;
const RENEW_SECONDS = 4;
const RETRY_SECONDS = 0.2;

// Must be atomic. The lease's value is its fence, so it is unique.
const ACQUIRE = evenWhenFull(`if redis.call("exists", KEYS[1]) == 1 then return false end
local fence = redis.call("incr", KEYS[2])
redis.call("set", KEYS[1], fence, "PX", ARGV[1])
return fence`);
const RENEW = `if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("pexpire", KEYS[1], ARGV[2])`;
const RELEASE = `if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("del", KEYS[1])`;

export interface LeaseKeys {
  readonly lease: string;
  /** Counter of granted leases. */
  readonly fence: string;
}

/**
 * Runs `work` under a renewed lease. Aborts the lease's signal on loss, after a suspended process
 * or long Redis outage.
 */
export async function withRedisLease<T>(
  redis: Redis,
  keys: LeaseKeys,
  {
    worker,
    waitSeconds,
    signal,
  }: { readonly worker: string; readonly waitSeconds: number; readonly signal: AbortSignal },
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const fence = await acquire(redis, keys, worker, waitSeconds, signal);
  const lost = new AbortController();
  const renewal = renew(redis, keys, worker, fence, lost);
  try {
    return await work({ worker, fence, signal: AbortSignal.any([signal, lost.signal]) });
  } finally {
    clearInterval(renewal);
    // The lease expires anyway.
    await redis.eval(RELEASE, 1, keys.lease, fence).catch(() => undefined);
  }
}

async function acquire(
  redis: Redis,
  keys: LeaseKeys,
  worker: string,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<number> {
  const until = Date.now() + waitSeconds * 1000;
  for (;;) {
    signal.throwIfAborted();
    const fence = await redis.eval(ACQUIRE, 2, keys.lease, keys.fence, TTL_SECONDS * 1000);
    if (typeof fence === "number") {
      return fence;
    }
    if (Date.now() >= until) {
      throw new WorkerBusy(`${worker}: another operation on this worker took longer than ${waitSeconds} s; try again`);
    }
    await sleep(RETRY_SECONDS * 1000, undefined, { signal }).catch(() => undefined);
  }
}

function renew(redis: Redis, keys: LeaseKeys, worker: string, fence: number, lost: AbortController): NodeJS.Timeout {
  let validUntil = Date.now() + TTL_SECONDS * 1000;
  return setInterval(async () => {
    const asked = Date.now();
    try {
      if ((await redis.eval(RENEW, 1, keys.lease, fence, TTL_SECONDS * 1000)) === 1) {
        validUntil = asked + TTL_SECONDS * 1000;
      } else {
        lost.abort(new WorkerBusy(`${worker}: another process took over the work on this worker`));
      }
    } catch (error) {
      if (Date.now() > validUntil) {
        lost.abort(new QueueUnavailable(`${worker}: the lease could not be renewed: ${error}`));
      }
    }
  }, RENEW_SECONDS * 1000);
}
