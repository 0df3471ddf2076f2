import type { EngineHealth } from "../backends/backend";
import { messageOf } from "../backends/engine-client";
import { withTimeLimit } from "../backends/time-limit";
import { EngineUnavailable, QueueUnavailable } from "../errors";
import { shortened } from "../words";
import { type FleetContext, remember, type Worker } from "./context";
import type { ModelPlacement, ModelReport, ModelState } from "./fleet";
import { leaveOf } from "./idle";
import type { Inventory } from "./inventory";
import type { WorkerRecord } from "./state";
import { isScaledAway } from "./workers";

/** Default timeout per worker, in seconds: below that of a request. */
const LOOK_SECONDS = 8;
/** Wait for other workers after one suffices, in milliseconds: enough for healthy ones. */
const OTHERS_PATIENCE = 500;
/** Timeout of Kubernetes for the replica count of a silent worker, in seconds. */
const COUNT_SECONDS = 2;

export interface Look {
  readonly seconds?: number;
  /** Whether to query the engines' health. */
  readonly health?: boolean;
}

export interface Sighting {
  readonly worker: Worker;
  readonly record: WorkerRecord;
  readonly inventory: Inventory;
  /** If requested and reported. */
  readonly health?: EngineHealth;
  /** Why the engine did not answer; the inventory then has its recorded disk. */
  readonly problem?: string;
  /** Expected reason for silence. Without a replica there is nothing to query, and no problem. */
  readonly rest?: Rest;
}

/**
 * `asleep`: scaled to zero by its autoscaler; `waking`: recently scaled up; `held`: kept at zero by
 * a forgotten stop or another user.
 */
export type Rest = "asleep" | "held" | "waking";

/** Without a replica. */
export function isAway({ worker: { spec }, record, rest }: Sighting): boolean {
  return rest === "asleep" || rest === "held" || (record.phase === "stopped" && spec.scale !== undefined);
}

/** Queries all workers in parallel, except those stopped at zero. */
export async function survey(context: FleetContext, signal: AbortSignal, how: Look = {}): Promise<readonly Sighting[]> {
  return Promise.all(context.workers.map((worker) => look(context, worker, signal, how)));
}

/** Same, but does not wait for slow workers once one suffices. */
export async function surveyUntil(
  context: FleetContext,
  signal: AbortSignal,
  isEnough: (sighting: Sighting) => boolean,
): Promise<readonly Sighting[]> {
  const late = new AbortController();
  const both = AbortSignal.any([signal, late.signal]);
  const found: (Sighting | undefined)[] = context.workers.map(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  let stopWaiting: () => void = () => undefined;
  const enough = new Promise<void>((resolve) => {
    stopWaiting = resolve;
  });
  const all = Promise.all(
    context.workers.map(async (worker, index) => {
      const sighting = await look(context, worker, both, {});
      found[index] = sighting;
      if (isEnough(sighting)) {
        timer ??= setTimeout(stopWaiting, OTHERS_PATIENCE);
      }
    }),
  );
  try {
    await Promise.race([all, enough]);
    return found.filter((sighting) => sighting !== undefined);
  } finally {
    clearTimeout(timer);
    late.abort();
  }
}

/** @throws EngineUnavailable when every queried worker failed and one should answer. */
export function requireSight(sightings: readonly Sighting[]): void {
  const problems = sightings.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0 && problems.length === sightings.length) {
    throw new EngineUnavailable(problems.join("; "));
  }
}

export function modelReports(sightings: readonly Sighting[]): readonly ModelReport[] {
  const names = new Set(
    sightings.flatMap(({ inventory: { models, pulls } }) => [
      ...models.map(({ name }) => name),
      ...[...pulls].filter(([, { running }]) => running).map(([name]) => name),
    ]),
  );
  return [...names].sort((a, b) => a.localeCompare(b)).map((name) => modelReport(sightings, name));
}

/** @param model in the API's spelling. */
export function modelReport(sightings: readonly Sighting[], model: string): ModelReport {
  const placements = sightings.flatMap(({ worker, inventory }) => placementOf(worker, inventory, model) ?? []);
  const pinned = sightings.some(({ worker: { backend, pins } }) => pins.has(backend.nameOf(model)));
  return { model, state: furthest(placements), pinned, placements };
}

async function look(
  context: FleetContext,
  worker: Worker,
  signal: AbortSignal,
  { seconds = LOOK_SECONDS, health: withHealth = false }: Look,
): Promise<Sighting> {
  const { state, report } = context;
  const { name, scale } = worker.spec;
  const record = await state.worker(name);
  if (record.phase === "stopped" && scale !== undefined) {
    return { worker, record, inventory: await remembered(context, worker) };
  }
  const { backend } = worker;
  try {
    const [models, health] = await withTimeLimit(signal, seconds, (limited) =>
      Promise.all([
        backend.models(limited),
        // Ignores a failure here: the model list decides.
        withHealth ? backend.health(limited).catch(() => undefined) : undefined,
      ]),
    );
    return { worker, record, inventory: await remember(context, worker, models), health };
  } catch (error) {
    signal.throwIfAborted();
    // An unreachable store is not the worker's problem.
    if (error instanceof QueueUnavailable) {
      throw error;
    }
    const rest = await restOf(context, worker, signal);
    const inventory = await remembered(context, worker);
    if (rest === "asleep" || rest === "held") {
      return { worker, record, inventory, rest };
    }
    const problem = `${name}: ${shortened(messageOf(error))}`;
    if (rest === undefined) {
      report({ type: "unreachable", worker: name, problem });
    }
    return { worker, record, inventory, problem, rest };
  }
}

/** Whether silence is expected. False if Kubernetes does not answer. */
async function restOf(context: FleetContext, worker: Worker, signal: AbortSignal): Promise<Rest | undefined> {
  const { scaler, times, now, asleepAt } = context;
  const { name, scale } = worker.spec;
  if (scaler === undefined || scale?.autoscaler === undefined) {
    return undefined;
  }
  const count = (limited: AbortSignal) =>
    Promise.all([scaler.replicas(scale, limited), scaler.autoscaler(scale, limited)]);
  const told = await withTimeLimit(signal, COUNT_SECONDS, count).catch(() => undefined);
  signal.throwIfAborted();
  if (told === undefined) {
    return undefined;
  }
  const [replicas, autoscaler] = told;
  if (isScaledAway(scale, replicas)) {
    asleepAt.set(name, now());
    return autoscaler?.paused && replicas === 0 ? "held" : "asleep";
  }
  const since = asleepAt.get(name);
  return since !== undefined && now().getTime() - since.getTime() < times.startSeconds * 1000 ? "waking" : undefined;
}

/** A worker without a replica keeps its disk, not its memory. */
async function remembered({ state }: FleetContext, { spec, pins, keeps }: Worker): Promise<Inventory> {
  const models = [...(await state.models(spec.name))].map(([name, { lastUsed, diskBytes }]) => ({
    name,
    diskBytes,
    lastUsed,
    loaded: false,
    pinned: pins.has(name),
    kept: keeps.has(name),
  }));
  return { models, pulls: await state.pulls(spec.name) };
}

function placementOf(
  { spec, backend, idleTime }: Worker,
  { models, pulls }: Inventory,
  model: string,
): ModelPlacement | undefined {
  const name = backend.nameOf(model);
  const held = models.find((one) => one.name === name);
  if (held !== undefined) {
    const { loaded, diskBytes, memoryBytes, lastUsed } = held;
    const leave = loaded ? leaveOf(held, idleTime(name)) : undefined;
    return { worker: spec.name, state: loaded ? "loaded" : "on_disk", diskBytes, memoryBytes, lastUsed, leave };
  }
  return pulls.get(name)?.running ? { worker: spec.name, state: "pulling" } : undefined;
}

function furthest(placements: readonly ModelPlacement[]): ModelState {
  const order: readonly ModelState[] = ["loaded", "on_disk", "pulling"];
  return order.find((state) => placements.some((placement) => placement.state === state)) ?? "absent";
}
