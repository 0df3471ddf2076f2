import type { Queue } from "bullmq";
import type { TaskData, TaskJob } from "./job";
import type { TaskKind } from "./task";

type LaneQueue = Pick<Queue<TaskData, string | null, TaskKind>, "getJobs">;

/** Waiting tasks to check. */
const LOOKED_AT = 100;

/**
 * Whether a lost task waits: it may have crashed its process, so untried tasks go first. Tasks lost
 * repeatedly run one at a time, which spares bystanders.
 */
export async function mustWait(job: TaskJob, lane: LaneQueue): Promise<boolean> {
  const losses = job.stalledCounter;
  if (losses === 0) {
    return false;
  }
  // Tasks with and without a place wait in separate lists.
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
