import type { PullProgress } from "../backends/backend";
import { createBackend } from "../backends/create";
import { DEFAULT_TIMEOUTS, type EngineTimeouts } from "../backends/engine-timeouts";
import type { GenerationEvent, GenerationRequest } from "../backends/generation";
import { EngineUnavailable, ModelPinned, NoRoom, NotSupported, UnknownModel, WorkerStopped } from "../errors";
import { DEFAULT_TIMES, type FleetContext, type FleetTimes, findWorker, requireRunning, type Worker } from "./context";
import type { FleetEvent } from "./events";
import type { Fleet, ModelReport, Readiness, WorkerReport, WorkerState } from "./fleet";
import { type IdleRules, idleTimes } from "./idle";
import { diskRoom, memoryNeed, memoryRoom } from "./inventory";
import { loadModel, unloadModel } from "./loading";
import { type Candidate, choosePlacement, type Room } from "./placement";
import { resumeWorker, startWorker, stopWorker } from "./power";
import { discardOn, isWhole, pullModel } from "./pulling";
import { readinessOf } from "./readiness";
import { sumBytes } from "./residency";
import type { Scaler } from "./scaler";
import type { FleetState, Lease } from "./state";
import {
  isAway,
  modelReport,
  modelReports,
  type Rest,
  requireSight,
  type Sighting,
  survey,
  surveyUntil,
} from "./survey";
import { sweepFleet } from "./sweep";
import { freeMemory, generateOn } from "./uses";
import { wakeFleet } from "./wake";
import type { WorkerSpec } from "./workers";

export interface FleetOptions {
  readonly workers: readonly WorkerSpec[];
  readonly state: FleetState;
  /** Required if a worker has a scale target. */
  readonly scaler?: Scaler;
  /** Unloads idle models after this time. @default never */
  readonly idle?: IdleRules;
  /** Registries without TLS. */
  readonly insecureRegistries?: readonly string[];
  readonly times?: Partial<FleetTimes>;
  readonly engineTimeouts?: Partial<EngineTimeouts>;
  readonly onEvent?: (event: FleetEvent) => void;
  readonly now?: () => Date;
}

export function createFleet(options: FleetOptions): Fleet {
  const { insecureRegistries, engineTimeouts: timeouts } = options;
  const workers = options.workers.map((spec): Worker => {
    const { url, models } = spec;
    const backend = createBackend(spec.backend, { url, models, insecureRegistries, timeouts });
    const pins = new Set(spec.pins.map((pin) => backend.nameOf(pin)));
    const keeps = new Set([...pins, ...(spec.keeps ?? []).map((kept) => backend.nameOf(kept))]);
    return { spec, backend, pins, keeps, idleTime: idleTimes(options.idle, backend) };
  });
  return new EngineFleet({
    workers,
    state: options.state,
    scaler: options.scaler,
    times: {
      ...DEFAULT_TIMES,
      useSeconds: timeouts?.unloadSeconds ?? DEFAULT_TIMEOUTS.unloadSeconds,
      ...options.times,
    },
    now: options.now ?? (() => new Date()),
    report: options.onEvent ?? (() => undefined),
    asleepAt: new Map(),
    unableToUnload: new Set(),
  });
}

interface PullOptions {
  readonly load: boolean;
  readonly worker?: string;
  readonly onProgress: (progress: PullProgress) => void;
  readonly confirm?: () => Promise<void>;
}

class EngineFleet implements Fleet {
  constructor(private readonly context: FleetContext) {}

  async observe(signal: AbortSignal): Promise<void> {
    await survey(this.context, signal);
  }

  async sweep(signal: AbortSignal): Promise<void> {
    await sweepFleet(this.context, signal);
  }

  async wake(signal: AbortSignal): Promise<void> {
    await wakeFleet(this.context, signal);
  }

  async models(signal: AbortSignal): Promise<readonly ModelReport[]> {
    const sightings = await survey(this.context, signal);
    requireSight(sightings);
    return modelReports(sightings);
  }

  async model(name: string, signal: AbortSignal): Promise<ModelReport> {
    const sightings = await survey(this.context, signal);
    requireSight(sightings);
    return modelReport(sightings, name);
  }

  async workers(signal: AbortSignal, seconds?: number): Promise<readonly WorkerReport[]> {
    return (await survey(this.context, signal, { seconds, health: true })).map(workerReport);
  }

  async pull(
    name: string,
    { load, worker: wanted, onProgress, confirm }: PullOptions,
    signal: AbortSignal,
  ): Promise<string> {
    const worker = await this.choose(name, load, wanted, signal);
    const model = worker.backend.nameOf(name);
    const held = await isWhole(worker, model, signal);
    if (!held) {
      await pullModel(this.context, worker, name, onProgress, signal);
    }
    // A finished pull that could not record its end: the model must not be discarded.
    else {
      await this.context.state.endPull(worker.spec.name, model);
    }
    try {
      if (load) {
        await loadModel(this.context, worker, model, signal);
      }
      await confirm?.();
      signal.throwIfAborted();
    } catch (error) {
      // After a cancellation, `discard` needs the record to find the files.
      if (!signal.aborted) {
        await this.context.state.endPull(worker.spec.name, model);
      }
      throw error;
    }
    if (!held) {
      await this.context.state.endPull(worker.spec.name, model);
    }
    return worker.spec.name;
  }

  async discard(name: string, signal: AbortSignal): Promise<void> {
    await Promise.all(
      this.context.workers.map((worker) => discardOn(this.context, worker, worker.backend.nameOf(name), signal)),
    );
  }

  async unload(name: string, signal: AbortSignal): Promise<void> {
    // A worker at zero replicas has no memory to free.
    const holders = (await this.holders(name, signal)).filter((sighting) => !isAway(sighting));
    await this.onEach(holders, name, signal, (worker, model, lease) =>
      unloadModel(this.context, worker, model, "request", lease),
    );
  }

  async purge(name: string, { force }: { readonly force: boolean }, signal: AbortSignal): Promise<void> {
    const holders = await this.holders(name, signal);
    const keepers = holders.filter(({ worker: { backend, keeps } }) => keeps.has(backend.nameOf(name)));
    if (keepers.length > 0 && !force) {
      const where = keepers.map(({ worker }) => worker.spec.name).join(", ");
      throw new ModelPinned(`${name} is pinned on ${where}: the platform needs it; force=true deletes it anyway`);
    }
    for (const holder of holders) {
      if (isAway(holder)) {
        requireRunning(holder.worker, holder.record);
        throw new WorkerStopped(`${holder.worker.spec.name} is ${stateOf(holder)}: start it first`);
      }
    }
    await this.onEach(holders, name, signal, async (worker, model, lease) => {
      // Do not unload what cannot be deleted.
      if (worker.backend.can.purge) {
        await freeMemory(this.context, worker, model, lease);
      }
      await worker.backend.purge(model, lease.signal);
      this.context.report({ type: "purged", worker: worker.spec.name, model });
      await this.context.state.setModels(worker.spec.name, new Map(), [model]);
    });
  }

  async stop(worker: string, signal: AbortSignal): Promise<void> {
    await stopWorker(this.context, findWorker(this.context, worker), signal);
  }

  async resume(worker: string, signal: AbortSignal): Promise<void> {
    await resumeWorker(this.context, findWorker(this.context, worker), signal);
  }

  async start(worker: string, signal: AbortSignal): Promise<void> {
    await startWorker(this.context, findWorker(this.context, worker), signal);
  }

  async readiness(name: string, signal: AbortSignal): Promise<Readiness> {
    const sightings = await surveyUntil(
      this.context,
      signal,
      (sighting) => readinessOf([sighting], name).state === "ready",
    );
    return readinessOf(sightings, name);
  }

  generate(
    worker: string,
    name: string,
    request: Omit<GenerationRequest, "model">,
    signal: AbortSignal,
  ): AsyncIterable<GenerationEvent> {
    return generateOn(this.context, findWorker(this.context, worker), name, request, signal);
  }

  private async choose(name: string, load: boolean, wanted: string | undefined, signal: AbortSignal): Promise<Worker> {
    const { workers, state } = this.context;
    const asked = wanted === undefined ? workers : [findWorker(this.context, wanted)];
    const sightings = usable(await survey({ ...this.context, workers: asked }, signal), name);
    const sizes = await state.sizes();
    const known = sightings.map(({ worker, inventory }) => {
      const model = worker.backend.nameOf(name);
      return { size: sizes.get(model), held: inventory.models.find((one) => one.name === model) };
    });
    const size = known.map((one) => one.size).find((one) => one !== undefined);
    const diskBytes = size?.diskBytes ?? known.map(({ held }) => held?.diskBytes).find((bytes) => bytes !== undefined);
    const need = { memoryBytes: load ? memoryNeed(size, diskBytes) : 0, diskBytes };
    const placement = choosePlacement(
      need,
      sightings.map((sighting) => candidateOf(sighting, name)),
    );
    if ("shortage" in placement) {
      throw new NoRoom(`no room for ${name}: ${placement.shortage}`);
    }
    return findWorker(this.context, placement.worker);
  }

  /**
   * Workers that have the model, or had it when last reachable.
   * @throws UnknownModel
   */
  private async holders(name: string, signal: AbortSignal): Promise<readonly Sighting[]> {
    const sightings = await survey(this.context, signal);
    requireSight(sightings);
    const holders = sightings.filter((sighting) => candidateOf(sighting, name).has !== "nothing");
    if (holders.length === 0) {
      throw new UnknownModel(`no worker has ${name}`);
    }
    return holders;
  }

  /**
   * Runs on each worker under its lease.
   * @throws the first error, after all have finished.
   */
  private async onEach(
    sightings: readonly Sighting[],
    name: string,
    signal: AbortSignal,
    work: (worker: Worker, model: string, lease: Lease) => Promise<void>,
  ): Promise<void> {
    const { state, times } = this.context;
    const ends = await Promise.allSettled(
      sightings.map(async ({ worker, problem }) => {
        if (problem !== undefined) {
          throw new EngineUnavailable(`not done everywhere: ${problem}`);
        }
        await state.withLease(worker.spec.name, times.shortLeaseSeconds, signal, (lease) =>
          work(worker, worker.backend.nameOf(name), lease),
        );
      }),
    );
    for (const end of ends) {
      if (end.status === "rejected") {
        throw end.reason;
      }
    }
  }
}

/**
 * Workers that may take a model.
 *
 * @throws WorkerStopped, EngineUnavailable or NotSupported without any, with all reasons.
 */
function usable(sightings: readonly Sighting[], name: string): readonly Sighting[] {
  const running = sightings.filter((sighting) => sighting.record.phase === "running" && !isAway(sighting));
  if (running.length === 0) {
    const phases = sightings.map((sighting) => `${sighting.worker.spec.name} is ${stateOf(sighting)}`);
    throw new WorkerStopped(`no worker takes new work: ${phases.join(", ")}`);
  }
  const reachable = running.filter(({ problem }) => problem === undefined);
  if (reachable.length === 0) {
    throw new EngineUnavailable(running.flatMap(({ problem }) => problem ?? []).join("; "));
  }
  const able = reachable.filter(
    (sighting) => sighting.worker.backend.can.pull || candidateOf(sighting, name).has !== "nothing",
  );
  if (able.length > 0) {
    return able;
  }
  const kinds = [...new Set(reachable.map(({ worker }) => worker.backend.kind))].join(" and ");
  throw new NotSupported(`${name} is on no worker, and ${kinds} cannot fetch models at run time`);
}

function candidateOf({ worker: { spec, backend }, inventory }: Sighting, name: string): Candidate {
  const model = backend.nameOf(name);
  const held = inventory.models.find((one) => one.name === model);
  const { memory, disk } = roomsOf(spec, inventory, model);
  return { worker: spec.name, has: held === undefined ? "nothing" : held.loaded ? "loaded" : "on_disk", memory, disk };
}

function roomsOf(
  { memoryBytes, diskBytes }: WorkerSpec,
  inventory: Sighting["inventory"],
  pulling?: string,
): { readonly memory: Room; readonly disk?: Room } {
  return {
    memory: memoryRoom(inventory, memoryBytes),
    disk: diskBytes === undefined ? undefined : diskRoom(inventory, diskBytes, pulling),
  };
}

const STATES_AT_REST = { asleep: "asleep", held: "stopped", waking: "starting" } as const satisfies Record<
  Rest,
  WorkerState
>;

function stateOf({ record, problem, rest }: Sighting): WorkerState {
  if (record.phase !== "running") {
    return record.phase;
  }
  if (rest !== undefined) {
    return STATES_AT_REST[rest];
  }
  return problem === undefined ? "running" : "unreachable";
}

function workerReport(sighting: Sighting): WorkerReport {
  const { worker, inventory, health, problem } = sighting;
  const { spec } = worker;
  const { memory, disk } = roomsOf(spec, inventory);
  return {
    name: spec.name,
    backend: spec.backend,
    state: stateOf(sighting),
    version: health?.version,
    gpu: health?.gpu,
    memory: usage(memory),
    disk: disk && usage(disk),
    models: inventory.models.map(({ name }) => name),
    loaded: inventory.models.filter(({ loaded }) => loaded).map(({ name }) => name),
    problem,
  };
}

function usage({ budgetBytes, otherBytes, residents }: Room): WorkerReport["memory"] {
  // Engines may report any numbers: bounds the sum.
  return { budgetBytes, usedBytes: Math.min(otherBytes + sumBytes(residents), Number.MAX_SAFE_INTEGER) };
}
