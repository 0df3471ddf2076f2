/** Models that sleep because nobody used them wake when somebody asks for them. */
import { messageOf } from "../backends/engine-client";
import { withTimeLimit } from "../backends/time-limit";
import { QueueUnavailable, WorkerBusy } from "../errors";
import { shortened } from "../words";
import type { FleetContext, Worker } from "./context";
import { loadUnderLease } from "./loading";

/** How long an engine may take to say whom requests wait for, in seconds. */
const LOOK_SECONDS = 8;

/**
 * One look at all workers whose engines hold requests for models that are not loaded. A model that never leaves by itself was put
 * to sleep by somebody, and is woken by nobody here. A worker that another operation works on is left for the next time.
 */
export async function wakeFleet(context: FleetContext, signal: AbortSignal): Promise<void> {
  const ends = await Promise.allSettled(context.workers.map((worker) => wakeWorker(context, worker, signal)));
  signal.throwIfAborted();
  for (const end of ends) {
    // Somebody works on it, the other replica perhaps.
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

/** None where the engine does not answer: whoever looks at the workers reports that. */
async function awaitedOn({ backend, idleTime }: Worker, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const models = await withTimeLimit(signal, LOOK_SECONDS, async (limited) => backend.awaited?.(limited) ?? []);
    return models.filter((model) => idleTime(model) !== "never");
  } catch {
    signal.throwIfAborted();
    return [];
  }
}
