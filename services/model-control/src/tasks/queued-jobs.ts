import type { JobState } from "bullmq";
import { laneOfId, type TaskJob } from "./job";
import type { LaneQueues } from "./queue-connection";

/** @returns undefined for what is no task, or none any more. */
export async function jobIn(queues: LaneQueues, id: string): Promise<TaskJob | undefined> {
  const lane = laneOfId(id);
  return lane === undefined ? undefined : ((await queues[lane].getJob(id)) as TaskJob | undefined);
}

/** @returns false for a job that waits for no time, or no longer. */
export async function promoted(job: TaskJob): Promise<boolean> {
  return job.promote().then(
    () => true,
    () => false,
  );
}

/** The same request makes a new task from now on, even while this one still winds down; one that waits for its time does so now. */
export async function letEnd(job: TaskJob, state: JobState | "unknown"): Promise<void> {
  await job.removeDeduplicationKey();
  // It may have started meanwhile, which ends it as well.
  if (state === "delayed") {
    await promoted(job);
  }
}
