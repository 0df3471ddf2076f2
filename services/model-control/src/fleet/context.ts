import type { Backend, EngineModel } from "../backends/backend";
import { UnknownWorker, WorkerStopped } from "../errors";
import type { FleetEvent } from "./events";
import type { IdleTime } from "./idle";
import { changesOf, type HeldModel, type Inventory } from "./inventory";
import type { Scaler } from "./scaler";
import type { FleetState, WorkerRecord } from "./state";
import type { WorkerSpec } from "./workers";

/** How long things may take, in seconds. */
export interface FleetTimes {
  /** Waiting for another operation on the same worker: longer than a load takes. */
  readonly leaseSeconds: number;
  /** The same, where a caller waits for the answer. */
  readonly shortLeaseSeconds: number;
  /** Waiting for the requests of a model that is to leave memory. */
  readonly useSeconds: number;
  /** Waiting for the pulls of a worker that stops; after that they are ended. */
  readonly drainSeconds: number;
  /** From scaling up to the engine's first answer: a node may have to come first. */
  readonly startSeconds: number;
  /** Between signs of life of a pull. */
  readonly pullBeatSeconds: number;
  /** Until an autoscaler has heard what it is told, and does it: longer than it waits between two looks. */
  readonly autoscalerSeconds: number;
  /** Between two looks at what is waited for. */
  readonly lookSeconds: number;
  /** That a target stays at zero before it has stopped: longer than an autoscaler may take for a decision that it had begun. */
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
  /** What never leaves the disk to make room: with the pinned ones, in the engine's spelling. */
  readonly keeps: ReadonlySet<string>;
  /** Of a model in the engine's spelling. */
  readonly idleTime: (model: string) => IdleTime;
}

/** What all operations of a fleet share. */
export interface FleetContext {
  readonly workers: readonly Worker[];
  readonly state: FleetState;
  /** There when a worker has a scale target. */
  readonly scaler?: Scaler;
  readonly times: FleetTimes;
  readonly now: () => Date;
  readonly report: (event: FleetEvent) => void;
  /** When a worker was last seen asleep, for those that wake since. */
  readonly asleepAt: Map<string, Date>;
  /** Workers whose engine was found to be unable to free its memory. */
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

/** @throws WorkerStopped unless the worker takes new work. */
export function requireRunning(worker: Worker, { phase }: WorkerRecord): void {
  if (phase === "running") {
    return;
  }
  const hint = phase === "starting" ? "wait until it has started" : "start it first";
  throw new WorkerStopped(`${worker.spec.name} is ${phase}: ${hint}`);
}

/** Asks the engine what it has, and remembers what is new. */
export async function inspect(context: FleetContext, worker: Worker, signal: AbortSignal): Promise<Inventory> {
  return remember(context, worker, await worker.backend.models(signal));
}

/** Remembers what is new in the engine's list. */
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

/** The model was just used. */
export async function touch({ state, now }: FleetContext, worker: Worker, model: HeldModel): Promise<void> {
  const record = { lastUsed: now(), useMark: model.useMark, diskBytes: model.diskBytes };
  await state.setModels(worker.spec.name, new Map([[model.name, record]]), []);
}
