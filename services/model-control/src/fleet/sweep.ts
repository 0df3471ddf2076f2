/** Unloads models that exceeded their idle time. */
import { messageOf } from "../backends/engine-client";
import { NotSupported, QueueUnavailable, WorkerBusy } from "../errors";
import { shortened } from "../words";
import { type FleetContext, inspect, touch, type Worker } from "./context";
import { isDue } from "./idle";
import type { HeldModel } from "./inventory";
import { unloadModel } from "./loading";
import type { Lease } from "./state";
import { isAway, survey } from "./survey";

/**
 * Sweeps each worker under its lease: one API replica at a time, never during a load. The next pass
 * retries failures.
 */
export async function sweepFleet(context: FleetContext, signal: AbortSignal): Promise<void> {
  const sightings = await survey(context, signal);
  const due = sightings.filter(
    (sighting) =>
      sighting.problem === undefined &&
      !isAway(sighting) &&
      sighting.record.phase === "running" &&
      dueModels(context, sighting.worker, sighting.inventory.models).length > 0,
  );
  const ends = await Promise.allSettled(due.map(({ worker }) => sweepWorker(context, worker, signal)));
  signal.throwIfAborted();
  for (const end of ends) {
    // In use, or swept by another replica.
    if (end.status === "rejected" && !(end.reason instanceof WorkerBusy)) {
      throw end.reason;
    }
  }
}

async function sweepWorker(context: FleetContext, worker: Worker, signal: AbortSignal): Promise<void> {
  const { state } = context;
  const { name } = worker.spec;
  await state.withLease(name, 0, signal, async (lease) => {
    if ((await state.worker(name)).phase !== "running") {
      return;
    }
    // Reads again, as others may have changed the worker.
    const { models } = await inspect(context, worker, lease.signal);
    for (const model of dueModels(context, worker, models)) {
      await letGo(context, worker, model, lease);
    }
  });
}

async function letGo(context: FleetContext, worker: Worker, model: HeldModel, lease: Lease): Promise<void> {
  const { signal } = lease;
  const { name } = worker.spec;
  try {
    if (await worker.backend.inUse(model.name, signal)) {
      await touch(context, worker, model);
      return;
    }
    await unloadModel(context, worker, model.name, "idle", lease);
  } catch (error) {
    signal.throwIfAborted();
    // Errors of the shared state are not the engine's.
    if (error instanceof QueueUnavailable || error instanceof WorkerBusy) {
      throw error;
    }
    if (error instanceof NotSupported) {
      context.unableToUnload.add(name);
    }
    context.report({ type: "stays", worker: name, model: model.name, problem: shortened(messageOf(error)) });
  }
}

function dueModels({ now }: FleetContext, { idleTime }: Worker, models: readonly HeldModel[]): readonly HeldModel[] {
  const time = now();
  return models.filter((model) => isDue(model, idleTime(model.name), time));
}
