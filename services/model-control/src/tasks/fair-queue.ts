import type { Redis } from "ioredis";
import type { TurnKeys } from "./turn-keys";

/** The queue of tasks takes no higher number (bullmq 6.7.0, src/classes/job.ts, PRIORITY_LIMIT). */
export const LAST_PLACE = 2 ** 21 - 1;

/**
 * Gives a task its place: the next one of that of its owners whose turn comes first, who pays for it. KEYS: clock, owners. ARGV: last
 * place, "1" when nothing waits, the place that it must be before or "", owners.
 *
 * An owner that asked for nothing lately begins at the clock, and not where it once was; who has asked for much stands behind
 * all that it has asked for. When nothing waits, the clock begins anew. @returns 0 where it is not before that place: nobody pays.
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

/** The clock is where the task is that was begun last. KEYS: clock. ARGV: its place. */
const BEGIN = `local clock = tonumber(redis.call("get", KEYS[1]) or "1")
if tonumber(ARGV[1]) > clock then redis.call("set", KEYS[1], ARGV[1]) end
return 1`;

/**
 * Start-time fair queueing (Goyal, Vin, Cheng: "Start-time Fair Queueing", SIGCOMM 1996) with one task as the unit (of
 * inference one prompt) and all owners alike: the lowest place is served first, and of equal ones the earlier. However many tasks
 * an owner has waiting, another one's first goes behind one of them at most, and between two tasks of an owner at most two of each
 * other one are begun: the rest of this round, and those of the next that were handed in earlier.
 *
 * Places end at `LAST_PLACE`: after so many rounds without one moment in which nothing waits, it is first come first served
 * until one comes.
 */
export class FairQueue {
  constructor(
    private readonly redis: Redis,
    private readonly keys: Pick<TurnKeys, "clock" | "owners">,
  ) {}

  /** @param isEmpty nothing of anybody waits. @returns from 1 to `LAST_PLACE`. */
  async place(owner: string, isEmpty: boolean): Promise<number> {
    return this.give([owner], { isEmpty });
  }

  /** The place of a shared task's next turn. That of its owners pays for it whose turn comes first. */
  async placeOfShared(owners: readonly string[]): Promise<number> {
    return this.give(owners, {});
  }

  /** A better place for a task that another owner paid for. @returns undefined where the owner's next one is none, and is kept. */
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

  /** The task with this place is begun. */
  async begin(place: number): Promise<void> {
    await this.redis.eval(BEGIN, 1, this.keys.clock, place);
  }
}
