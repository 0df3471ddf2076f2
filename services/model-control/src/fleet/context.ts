import type { Backend, EngineModel } from "../backends/backend";
import { UnknownWorker, WorkerStopped } from "../errors";
import type { FleetEvent } from "./events";
import type { IdleTime } from "./idle";
import { changesOf, type HeldModel, type Inventory } from "./inventory";
import type { Scaler } from "./scaler";
import type { FleetState, WorkerRecord } from "./state";
import type { WorkerSpec } from "./workers";

/** Timeouts and intervals, in seconds. */
export interface FleetTimes {
  /** Wait for another operation on the worker: longer than a load. */
  readonly leaseSeconds: number;
  /** Same wait, for callers that wait for the answer. */
  readonly shortLeaseSeconds: number;
  /** Wait for running requests before an unload. */
  readonly useSeconds: number;
  /** Wait for pulls of a stopping worker, before they are cancelled. */
  readonly drainSeconds: number;
  /** From scaling up to the engine's first answer; includes node provisioning. */
  readonly startSeconds: number;
  /** Heartbeat interval of a pull. */
  readonly pullBeatSeconds: number;
  /** Until an autoscaler has applied a command: longer than its polling interval. */
  readonly autoscalerSeconds: number;
  /** Polling interval. */
  readonly lookSeconds: number;
  /**
   * How long a target must stay at zero to count as stopped: longer than an autoscaler's pending
   * decision.
   */
  readonly settleSeconds: number;
}

export const DEFAULT_TIMES: Omit<FleetTimes, "useSeconds"> = {
  leaseSeconds: 1200,
  shortLeaseSeconds: 10,
  drainSeconds: 300,
  startSeconds: 900,
  pullBeatSeconds: 5,
  autoscalerSeconds: 60,
  lookSeconds: 0.5,
  settleSeconds: 15,
};

export interface Worker {
  readonly spec: WorkerSpec;
  readonly backend: Backend;
  /** In the engine's spelling. */
  readonly pins: ReadonlySet<string>;
  /** Never deleted from disk for room; includes pins. In the engine's spelling. */
  readonly keeps: ReadonlySet<string>;
  /** Takes the engine's spelling. */
  readonly idleTime: (model: string) => IdleTime;
}

export interface FleetContext {
  readonly workers: readonly Worker[];
  readonly state: FleetState;
  /** Set if a worker has a scale target. */
  readonly scaler?: Scaler;
  readonly times: FleetTimes;
  readonly now: () => Date;
  readonly report: (event: FleetEvent) => void;
  /** When a worker was last seen asleep, to detect its start. */
  readonly asleepAt: Map<string, Date>;
  /** Workers whose engine cannot unload. */
  readonly unableToUnload: Set<string>;
}

/** @throws UnknownWorker */
export function findWorker({ workers }: FleetContext, name: string): Worker {
  const worker = workers.find(({ spec }) => spec.name === name);
  if (worker !== undefined) {
    return worker;
  }
  throw new UnknownWorker(`there is no worker ${name}; there are: ${workers.map(({ spec }) => spec.name).join(", ")}`);
}

/** @throws WorkerStopped unless the worker accepts new work. */
export function requireRunning(worker: Worker, { phase }: WorkerRecord): void {
  if (phase === "running") {
    return;
  }
  const hint = phase === "starting" ? "wait until it has started" : "start it first";
  throw new WorkerStopped(`${worker.spec.name} is ${phase}: ${hint}`);
}

/** Lists the engine's models and records changes. */
export async function inspect(context: FleetContext, worker: Worker, signal: AbortSignal): Promise<Inventory> {
  return remember(context, worker, await worker.backend.models(signal));
}

export async function remember(
  { state, now, unableToUnload }: FleetContext,
  { spec, pins, keeps }: Worker,
  models: readonly EngineModel[],
): Promise<Inventory> {
  const [records, pulls, used] = await Promise.all([
    state.models(spec.name),
    state.pulls(spec.name),
    state.usedModels(spec.name),
  ]);
  const seen = models.map((model) => (used.has(model.name) ? { ...model, inUse: true } : model));
  const { changed, gone } = changesOf(seen, records, now());
  await state.setModels(spec.name, changed, gone);
  const held = seen.map((model): HeldModel => {
    const record = changed.get(model.name) ?? records.get(model.name);
    const canUnload = model.canUnload !== false && !unableToUnload.has(spec.name);
    const { name } = model;
    return { ...model, lastUsed: record?.lastUsed ?? now(), pinned: pins.has(name), kept: keeps.has(name), canUnload };
  });
  return { models: held, pulls };
}

/** Records a use of the model now. */
export async function touch({ state, now }: FleetContext, worker: Worker, model: HeldModel): Promise<void> {
  const record = { lastUsed: now(), useMark: model.useMark, diskBytes: model.diskBytes };
  await state.setModels(worker.spec.name, new Map([[model.name, record]]), []);
}
