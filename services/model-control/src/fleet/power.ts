import { messageOf } from "../backends/engine-client";
import { waitUntil } from "../backends/wait";
import { EngineUnavailable, QueueUnavailable, UnknownModel, WorkerBusy } from "../errors";
import { shortened } from "../words";
import type { FleetContext, Worker } from "./context";
import { loadUnderLease, unloadModel } from "./loading";
import { letScale, scaleBack, scaleToZero, whileWanted } from "./scaling";
import type { Lease, WorkerRecord } from "./state";
import { isScaledAway } from "./workers";

/**
 * Idempotent, so an interrupted stop can continue.
 *
 * @throws NotSupported for an engine that cannot unload and has no scale target.
 */
export async function stopWorker(context: FleetContext, worker: Worker, signal: AbortSignal): Promise<void> {
  const { state, times } = context;
  const { name } = worker.spec;
  const wasStopped = await state.withLease(name, times.leaseSeconds, signal, async (lease) => {
    const record = await state.worker(name);
    if (record.phase === "stopped") {
      return true;
    }
    await setPhase(context, lease, { ...record, phase: "draining" });
    return false;
  });
  const idle = async () => ![...(await state.pulls(name)).values()].some(({ running }) => running);
  await waitUntil(idle, { seconds: times.drainSeconds, everySeconds: times.lookSeconds, signal });
  await state.withLease(name, times.leaseSeconds, signal, async (lease) => {
    const record = await state.worker(name);
    // Running pulls notice this and end.
    await setPhase(context, lease, { ...record, phase: "stopped" });
    try {
      await unloadAll(context, worker, lease);
      if (worker.spec.scale !== undefined) {
        await scaleToZero(context, worker, worker.spec.scale, lease);
      }
    } catch (error) {
      // The stop failed, so the phase must not be `stopped`. An interrupted stop continues.
      if (!lease.signal.aborted && !wasStopped) {
        if (worker.spec.scale !== undefined) {
          await letScale(context, worker.spec.scale, lease.signal);
        }
        await setPhase(context, lease, { ...(await state.worker(name)), phase: "running" }).catch(() => undefined);
      }
      throw error;
    }
  });
}

/** Reverts a stop cancelled while it waited; later it can no longer be reverted. */
export async function resumeWorker(context: FleetContext, worker: Worker, signal: AbortSignal): Promise<void> {
  const { state, times } = context;
  const { name } = worker.spec;
  await state.withLease(name, times.leaseSeconds, signal, async (lease) => {
    const record = await state.worker(name);
    if (record.phase === "draining") {
      await setPhase(context, lease, { ...record, phase: "running" });
    }
  });
}

/**
 * Starts or wakes a worker and waits for its engine. Leaves replicas removed by the autoscaler to
 * it.
 *
 * @throws EngineUnavailable on timeout; a load's error, after all other loads.
 */
export async function startWorker(context: FleetContext, worker: Worker, signal: AbortSignal): Promise<void> {
  const { state, times } = context;
  const { name } = worker.spec;
  await state.withLease(name, times.leaseSeconds, signal, async (lease) => {
    const record = await state.worker(name);
    if (record.phase !== "running") {
      await setPhase(context, lease, { ...record, phase: "starting" });
    }
    const isThere = await bringUp(context, worker, lease);
    await setPhase(context, lease, { phase: "running", rewarm: record.rewarm });
    if (isThere) {
      await rewarm(context, worker, record.rewarm, lease);
    }
  });
}

/** @returns false for a replica that its autoscaler starts when needed. */
async function bringUp(context: FleetContext, worker: Worker, lease: Lease): Promise<boolean> {
  const { scale } = worker.spec;
  if (scale === undefined) {
    await waitForEngine(context, worker, lease.signal);
    return true;
  }
  return whileWanted(context, scale, lease.signal, async () => {
    if (isScaledAway(scale, await scaleBack(context, worker, scale, lease))) {
      return false;
    }
    await waitForEngine(context, worker, lease.signal);
    return true;
  });
}

async function unloadAll(context: FleetContext, worker: Worker, lease: Lease): Promise<void> {
  const { state } = context;
  const { name } = worker.spec;
  await asFarAsItAnswers(context, worker, lease, async () => {
    const models = await worker.backend.models(lease.signal);
    const loaded = models.filter((model) => model.loaded).map((model) => model.name);
    const record = await state.worker(name);
    await state.setWorker(lease, { ...record, rewarm: [...new Set([...record.rewarm, ...loaded])] });
    for (const model of loaded) {
      await unloadModel(context, worker, model, "stop", lease);
    }
  });
}

/** Best effort at zero replicas, where processes end and free memory in any case. */
async function asFarAsItAnswers(
  { report }: FleetContext,
  { spec: { name, scale } }: Worker,
  { signal }: Lease,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    signal.throwIfAborted();
    // Errors of the shared state are not the engine's.
    if (scale === undefined || error instanceof QueueUnavailable || error instanceof WorkerBusy) {
      throw error;
    }
    report({ type: "unreachable", worker: name, problem: shortened(messageOf(error)) });
  }
}

async function waitForEngine({ times }: FleetContext, { spec, backend }: Worker, signal: AbortSignal): Promise<void> {
  let problem = "";
  const ask = async () => {
    try {
      await backend.health(signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      problem = shortened(messageOf(error));
      return false;
    }
  };
  const seconds = times.startSeconds;
  if (await waitUntil(ask, { seconds, everySeconds: times.lookSeconds, signal })) {
    return;
  }
  throw new EngineUnavailable(`${spec.name} does not answer ${seconds} s after its start: ${problem}`);
}

/** Failed models stay on the list for the next start; missing ones are removed. */
async function rewarm(context: FleetContext, worker: Worker, models: readonly string[], lease: Lease): Promise<void> {
  const failures: { readonly model: string; readonly error: unknown }[] = [];
  for (const model of models) {
    try {
      await loadUnderLease(context, worker, model, lease);
    } catch (error) {
      lease.signal.throwIfAborted();
      if (error instanceof UnknownModel) {
        context.report({ type: "forgotten", worker: worker.spec.name, model });
      } else {
        failures.push({ model, error });
      }
    }
  }
  await context.state.setWorker(lease, { phase: "running", rewarm: failures.map(({ model }) => model) });
  if (failures[0] !== undefined) {
    throw failures[0].error;
  }
}

async function setPhase({ state, report }: FleetContext, lease: Lease, record: WorkerRecord): Promise<void> {
  await state.setWorker(lease, record);
  report({ type: "phase", worker: lease.worker, phase: record.phase });
}
