import { messageOf } from "../backends/engine-client";
import { EngineUnavailable } from "../errors";
import { type FleetContext, inspect, type Worker } from "./context";
import type { ModelPlacement, ModelReport, ModelState } from "./fleet";
import type { Inventory } from "./inventory";
import type { WorkerRecord } from "./state";

/** One worker at one moment: what it has, or why that is not known. */
export interface Sighting {
  readonly worker: Worker;
  readonly record: WorkerRecord;
  readonly inventory: Inventory;
  /** Why the engine could not be asked; the inventory is then what is remembered of its disk. */
  readonly problem?: string;
}

/** Asks all workers at once. Those that are scaled to zero are not asked. */
export async function survey(context: FleetContext, signal: AbortSignal): Promise<readonly Sighting[]> {
  return Promise.all(context.workers.map((worker) => look(context, worker, signal)));
}

/** @throws EngineUnavailable when no worker could be asked though one should answer. */
export function requireSight(sightings: readonly Sighting[]): void {
  const problems = sightings.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0 && problems.length === sightings.length) throw new EngineUnavailable(problems.join("; "));
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

/** @param model in the spelling of the API. */
export function modelReport(sightings: readonly Sighting[], model: string): ModelReport {
  const placements = sightings.flatMap(({ worker, inventory }) => placementOf(worker, inventory, model) ?? []);
  const pinned = sightings.some(({ worker: { backend, pins } }) => pins.has(backend.nameOf(model)));
  return { model, state: furthest(placements), pinned, placements };
}

async function look(context: FleetContext, worker: Worker, signal: AbortSignal): Promise<Sighting> {
  const { state, report } = context;
  const { name, scale } = worker.spec;
  const record = await state.worker(name);
  if (record.phase === "stopped" && scale !== undefined) {
    return { worker, record, inventory: await remembered(context, worker) };
  }
  try {
    return { worker, record, inventory: await inspect(context, worker, signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EngineUnavailable)) throw error;
    const problem = `${name}: ${messageOf(error)}`;
    report({ type: "unreachable", worker: name, problem });
    return { worker, record, inventory: await remembered(context, worker), problem };
  }
}

/** A worker that is away keeps its disk, not its memory. */
async function remembered({ state }: FleetContext, { spec, pins }: Worker): Promise<Inventory> {
  const models = [...(await state.models(spec.name))].map(([name, { lastUsed, diskBytes }]) => ({
    name,
    diskBytes,
    lastUsed,
    loaded: false,
    pinned: pins.has(name),
  }));
  return { models, pulls: await state.pulls(spec.name) };
}

function placementOf(
  { spec, backend }: Worker,
  { models, pulls }: Inventory,
  model: string,
): ModelPlacement | undefined {
  const name = backend.nameOf(model);
  const held = models.find((one) => one.name === name);
  if (held !== undefined) {
    const { loaded, diskBytes, memoryBytes, lastUsed } = held;
    return { worker: spec.name, state: loaded ? "loaded" : "on_disk", diskBytes, memoryBytes, lastUsed };
  }
  return pulls.get(name)?.running ? { worker: spec.name, state: "pulling" } : undefined;
}

function furthest(placements: readonly ModelPlacement[]): ModelState {
  const order: readonly ModelState[] = ["loaded", "on_disk", "pulling"];
  return order.find((state) => placements.some((placement) => placement.state === state)) ?? "absent";
}
