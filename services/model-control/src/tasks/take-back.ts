import type { Queue } from "bullmq";
import { endsAfter } from "../backends/time-limit";
import type { Fleet } from "../fleet/fleet";
import type { Turns } from "../inference/turns";
import type { TaskData, TaskJob } from "./job";
import type { TaskKind } from "./task";

/** Timeout in milliseconds. */
const PATIENCE = 30_000;

type Cancelled = Pick<TaskJob, "id" | "data">;

interface Surroundings {
  readonly fleet: Pick<Fleet, "discard" | "resume">;
  /** Set with asynchronous inference. */
  readonly turns?: Pick<Turns, "cancel">;
  readonly pulls: Pick<Queue<TaskData, string | null, TaskKind>, "getJobs">;
}

/** Removes a cancelled task's partial results: an incomplete model, or a draining worker. */
export async function takeBack({ id, data }: Cancelled, { fleet, turns, pulls }: Surroundings): Promise<void> {
  const signal = endsAfter(PATIENCE);
  // Kept if another task pulls the model.
  if (data.kind === "pull" && !(await isWanted(data.model, id, pulls))) {
    await fleet.discard(data.model, signal);
  }
  if (data.kind === "inference") {
    await turns?.cancel(id ?? "", "all");
  }
  if (data.kind === "stop") {
    await fleet.resume(data.worker, signal);
  }
}

async function isWanted(model: string, id: string | undefined, pulls: Surroundings["pulls"]): Promise<boolean> {
  const unfinished = (await pulls.getJobs(["active", "wait", "prioritized", "delayed"])) as (Cancelled | undefined)[];
  return unfinished.some(
    (other) =>
      other !== undefined &&
      other.id !== id &&
      other.data.cancelled !== true &&
      "model" in other.data &&
      other.data.model === model,
  );
}
