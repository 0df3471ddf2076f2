import type { JobState } from "bullmq";
import { laneOfId, type TaskJob } from "./job";
import type { LaneQueues } from "./queue-connection";

/** @returns undefined for an invalid or deleted task. */
export async function jobIn(queues: LaneQueues, id: string): Promise<TaskJob | undefined> {
  const lane = laneOfId(id);
  return lane === undefined ? undefined : ((await queues[lane].getJob(id)) as TaskJob | undefined);
}

/** @returns false for a job that is not delayed. */
export async function promoted(job: TaskJob): Promise<boolean> {
  return job.promote().then(
    () => true,
    () => false,
  );
}

/** Lets the same request create a new task while this one ends; runs a delayed task now. */
export async function letEnd(job: TaskJob, state: JobState | "unknown"): Promise<void> {
  await job.removeDeduplicationKey();
  // It may have started meanwhile, which also ends it.
  if (state === "delayed") {
    await promoted(job);
  }
}
