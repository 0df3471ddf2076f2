import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { FairQueue } from "./fair-queue";
import { ownersOf, type TaskData, type TaskJob } from "./job";
import { concurrencyOf, type LaneConfig, type SharedLane } from "./lanes";
import { Slots } from "./slots";
import type { TaskKind } from "./task";
import { turnKeys } from "./turn-keys";

/** Latest retry of a task whose owners have no free slot, in milliseconds. */
const CROWDED = 30_000;

/** Turns of tasks other than inference: each uses a slot of one of its owners. */
export class TaskTurns {
  private readonly fair: FairQueue;
  private readonly slots: Slots;
  private readonly seconds: number;
  private readonly queued: number;

  constructor(
    redis: Redis,
    lane: SharedLane,
    config: LaneConfig,
    private readonly queue: Pick<Queue<TaskData, string | null, TaskKind>, "getJob" | "getJobs">,
  ) {
    const keys = turnKeys(lane);
    this.fair = new FairQueue(redis, keys);
    this.slots = new Slots(redis, concurrencyOf(lane, config), keys);
    this.seconds = config.pulls.timeoutSeconds;
    this.queued = config.pulls.queued;
  }

  /** @returns false if no owner has a free slot. */
  async enter({ id = "", priority, data }: TaskJob): Promise<boolean> {
    const owners = ownersOf(data);
    for (const owner of owners) {
      if (await this.slots.take(owner, id, this.seconds)) {
        await this.fair.begin(priority);
        return true;
      }
    }
    return owners.length === 0;
  }

  /**
   * Whether another owner's task waits, so all slots are taken. Owners who joined hold no slot.
   * Tasks of the same owners do not count, or both would alternate forever.
   */
  async othersWait(job: TaskJob): Promise<boolean> {
    const known = await this.known(job);
    const sharing = ownersOf(known.data);
    const holder = await this.holder(known);
    const waiting = (await this.queue.getJobs(["prioritized"], 0, this.queued)) as (TaskJob | undefined)[];
    return waiting.some((other) => {
      const owners = other === undefined ? [] : ownersOf(other.data);
      const isHolders = holder !== undefined && owners.includes(holder);
      return owners.some((owner) => owner !== holder && !(isHolders && sharing.includes(owner)));
    });
  }

  /** Owner whose slot the task holds; else its first owner. */
  private async holder({ id = "", data }: TaskJob): Promise<string | undefined> {
    const owners = ownersOf(data);
    const held = await Promise.all(owners.map((owner) => this.slots.holds(owner, id)));
    return owners.find((_, index) => held[index]) ?? owners[0];
  }

  /** Task as stored, with owners who joined while it ran. */
  private async known(job: TaskJob): Promise<TaskJob> {
    return ((await this.queue.getJob(job.id ?? "")) as TaskJob | undefined) ?? job;
  }

  /** Moves the task behind waiting ones and releases its slot. */
  async yield(job: TaskJob): Promise<void> {
    const owners = ownersOf((await this.known(job)).data);
    if (owners.length > 0) {
      await job.changePriority({ priority: await this.fair.placeOfShared(owners) });
    }
    await this.leave(job);
  }

  /** Releases the slot, on any process. It expires if the server is unreachable. */
  async leave({ id = "", data }: TaskJob): Promise<void> {
    const wake = (next: string) => this.wake(next);
    await Promise.allSettled(ownersOf(data).map((owner) => this.slots.handOn(owner, id, wake)));
  }

  /** Suspends the task until an owner has a free slot. */
  async wait(job: TaskJob, token: string | undefined): Promise<void> {
    const { id = "", priority, data } = job;
    await job.moveToDelayed(Date.now() + CROWDED * (1 + Math.random()), token);
    const waiting = await Promise.allSettled(
      ownersOf(data).map((owner) => this.slots.wait(owner, id, priority, 2 * CROWDED)),
    );
    // A slot became free meanwhile, without a wake-up.
    if (waiting.some((one) => one.status === "fulfilled" && !one.value)) {
      await this.wake(id).catch(() => false);
    }
  }

  private async wake(id: string): Promise<boolean> {
    const job = (await this.queue.getJob(id)) as TaskJob | undefined;
    return (
      job !== undefined &&
      (await job.promote().then(
        () => true,
        () => false,
      ))
    );
  }
}
