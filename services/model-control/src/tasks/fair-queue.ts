import type { Redis } from "ioredis";
import type { TurnKeys } from "./turn-keys";

/** Maximum priority of the queue (bullmq 6.7.0, src/classes/job.ts, PRIORITY_LIMIT). */
export const LAST_PLACE = 2 ** 21 - 1;

/**
 * Assigns a place: the next one of the owner whose turn is first, and charges it. KEYS: clock,
 * owners. ARGV: last place, "1" when nothing waits, exclusive upper bound or "", owners.
 *
 * Idle owners start at the clock; others after their last place. The clock restarts when nothing
 * waits.
 * @returns 0 at or beyond the bound, without a charge.
 */
const PLACE = `if ARGV[2] == "1" then redis.call("del", KEYS[1], KEYS[2]) end
local clock = tonumber(redis.call("get", KEYS[1]) or "1")
redis.call("zremrangebyscore", KEYS[2], "-inf", clock)
local place, payer
for index = 4, #ARGV do
  local next = math.max(clock, tonumber(redis.call("zscore", KEYS[2], ARGV[index]) or "0"))
  if not place or next < place then place, payer = next, ARGV[index] end
end
if place > tonumber(ARGV[1]) then place = tonumber(ARGV[1]) end
if ARGV[3] ~= "" and place >= tonumber(ARGV[3]) then return 0 end
redis.call("zadd", KEYS[2], place + 1, payer)
return place`;

/** The clock is the place of the task begun last. KEYS: clock. ARGV: its place. */
const BEGIN = `local clock = tonumber(redis.call("get", KEYS[1]) or "1")
if tonumber(ARGV[1]) > clock then redis.call("set", KEYS[1], ARGV[1]) end
return 1`;

/**
 * Start-time fair queueing (Goyal, Vin, Cheng: "Start-time Fair Queueing", SIGCOMM 1996). The unit
 * is one task (for inference, one prompt); owners have equal weight. Lowest place first; ties in
 * order of arrival. An owner's first task waits for at most one task of a busy owner. Between two
 * tasks of an owner, each other owner starts at most two.
 *
 * At `LAST_PLACE`, order is first come, first served, until the queue is empty.
 */
export class FairQueue {
  constructor(
    private readonly redis: Redis,
    private readonly keys: Pick<TurnKeys, "clock" | "owners">,
  ) {}

  /**
   * @param isEmpty whether no task waits.
   * @returns from 1 to `LAST_PLACE`.
   */
  async place(owner: string, isEmpty: boolean): Promise<number> {
    return this.give([owner], { isEmpty });
  }

  /** Place of a shared task's next turn, charged to the owner whose turn is first. */
  async placeOfShared(owners: readonly string[]): Promise<number> {
    return this.give(owners, {});
  }

  /**
   * Earlier place for another owner's task.
   * @returns undefined, without a charge, if the owner's next place is not earlier.
   */
  async placeBefore(owner: string, limit: number): Promise<number | undefined> {
    return (await this.give([owner], { limit })) || undefined;
  }

  private async give(
    owners: readonly string[],
    { isEmpty = false, limit }: { readonly isEmpty?: boolean; readonly limit?: number },
  ): Promise<number> {
    const { clock, owners: places } = this.keys;
    const args = [LAST_PLACE, isEmpty ? "1" : "0", limit ?? "", ...owners];
    return Number(await this.redis.eval(PLACE, 2, clock, places, ...args));
  }

  /** Marks the task with this place as begun. */
  async begin(place: number): Promise<void> {
    await this.redis.eval(BEGIN, 1, this.keys.clock, place);
  }
}
