import { DelayedError, WaitingError } from "bullmq";
import type { TurnEnd, Turns } from "../inference/turns";
import type { TaskJob } from "./job";

/**
 * Latest retry of a task without a free slot, in milliseconds: a released slot wakes it, unless
 * that process died.
 */
const CROWDED = 30_000;

/** The inference task ended without any answer. */
export class TurnFailed extends Error {}

/**
 * Reports a turn's result to the queue.
 *
 * @returns the worker that answered.
 * @throws TurnFailed; DelayedError or WaitingError if the task is back in the queue.
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
      // If the queue is unreachable, the task retries by itself.
      await turns.waitForSlot(job.id ?? "", end, 2 * CROWDED).catch(() => undefined);
      throw new DelayedError();
    case "behind":
      await job.changePriority({ priority: end.place });
      await job.moveToWait(token);
      throw new WaitingError();
  }
}
