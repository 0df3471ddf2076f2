import { DelayedError, WaitingError } from "bullmq";
import type { TurnEnd, Turns } from "../inference/turns";
import type { TaskJob } from "./job";

/**
 * When a task whose owner has as many prompts at engines as it may have looks again at the earliest, in milliseconds: whoever
 * ends one wakes it, unless it dies before.
 */
const CROWDED = 30_000;

/** All that could be done for an inference task is done, and there is no answer. */
export class TurnFailed extends Error {}

/**
 * Tells the queue what becomes of an inference task.
 *
 * @returns the worker that answered.
 * @throws TurnFailed; DelayedError or WaitingError where the queue has the task again.
 */
export async function afterTurn(
  job: TaskJob,
  token: string | undefined,
  end: TurnEnd,
  turns: Pick<Turns, "waitForSlot">,
): Promise<string | null> {
  switch (end.as) {
    case "ended":
      return end.worker ?? null;
    case "failed":
      throw new TurnFailed(end.error);
    case "again":
      await job.moveToDelayed(Date.now() + end.milliseconds, token);
      throw new DelayedError();
    case "crowded":
      await job.moveToDelayed(Date.now() + CROWDED * (1 + Math.random()), token);
      // Where the queue is away by now, it looks by itself.
      await turns.waitForSlot(job.id ?? "", end, 2 * CROWDED).catch(() => undefined);
      throw new DelayedError();
    case "behind":
      await job.changePriority({ priority: end.place });
      await job.moveToWait(token);
      throw new WaitingError();
  }
}
