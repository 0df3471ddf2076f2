import type { Queue } from "bullmq";
import type { TaskData, TaskJob } from "./job";
import type { TaskKind } from "./task";

type LaneQueue = Pick<Queue<TaskData, string | null, TaskKind>, "getJobs">;

/** Waiting tasks that are looked at. */
const LOOKED_AT = 100;

/**
 * Whether a task goes behind others. One that was running when its process ended may be what ended it: whatever has not
 * come to its turn yet goes first. One that this happened to more than once runs while no other such task does: so those
 * that only ran beside the one that did it are not lost with it until they have failed.
 */
export async function mustWait(job: TaskJob, lane: LaneQueue): Promise<boolean> {
  const losses = job.stalledCounter;
  if (losses === 0) {
    return false;
  }
  // Those with a place wait apart from those without.
  const waiting = await jobs(lane, "wait", "prioritized");
  if (waiting.some((other) => other.stalledCounter === 0)) {
    return true;
  }
  if (losses === 1) {
    return false;
  }
  const running = await jobs(lane, "active");
  return running.some((other) => other.id !== job.id && other.stalledCounter > 1);
}

async function jobs(
  lane: LaneQueue,
  ...types: readonly ("wait" | "prioritized" | "active")[]
): Promise<readonly TaskJob[]> {
  const found = (await lane.getJobs([...types], 0, LOOKED_AT - 1, true)) as (TaskJob | undefined)[];
  return found.filter((job) => job !== undefined);
}
