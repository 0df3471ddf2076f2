/** Wakes idle-unloaded models on demand. */
import { messageOf } from "../backends/engine-client";
import { withTimeLimit } from "../backends/time-limit";
import { QueueUnavailable, WorkerBusy } from "../errors";
import { shortened } from "../words";
import type { FleetContext, Worker } from "./context";
import { loadUnderLease } from "./loading";

/** Timeout of an engine for its waiting models, in seconds. */
const LOOK_SECONDS = 8;

/**
 * Wakes models with waiting requests. Skips models without an idle time, which were unloaded on
 * purpose, and workers with another operation in progress.
 */
export async function wakeFleet(context: FleetContext, signal: AbortSignal): Promise<void> {
  const ends = await Promise.allSettled(context.workers.map((worker) => wakeWorker(context, worker, signal)));
  signal.throwIfAborted();
  for (const end of ends) {
    // In use, perhaps by another replica.
    if (end.status === "rejected" && !(end.reason instanceof WorkerBusy)) {
      throw end.reason;
    }
  }
}

async function wakeWorker(context: FleetContext, worker: Worker, signal: AbortSignal): Promise<void> {
  const { state, report } = context;
  const { name } = worker.spec;
  const asked = await awaitedOn(worker, signal);
  if (asked.length === 0) {
    return;
  }
  await state.withLease(name, 0, signal, async (lease) => {
    if ((await state.worker(name)).phase !== "running") {
      return;
    }
    for (const model of asked) {
      try {
        await loadUnderLease(context, worker, model, lease);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof QueueUnavailable || error instanceof WorkerBusy) {
          throw error;
        }
        report({
          type: "unreachable",
          worker: name,
          problem: `${model} does not wake: ${shortened(messageOf(error))}`,
        });
      }
    }
  });
}

/** None if the engine does not answer, which the survey reports. */
async function awaitedOn({ backend, idleTime }: Worker, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const models = await withTimeLimit(signal, LOOK_SECONDS, async (limited) => backend.awaited?.(limited) ?? []);
    return models.filter((model) => idleTime(model) !== "never");
  } catch {
    signal.throwIfAborted();
    return [];
  }
}
