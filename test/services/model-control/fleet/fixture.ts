import { createFleet, type FleetOptions } from "../../../../services/model-control/src/fleet/create";
import type { FleetEvent } from "../../../../services/model-control/src/fleet/events";
import type { Fleet } from "../../../../services/model-control/src/fleet/fleet";
import type { AutoscalerState, AutoscalerWord, Scaler } from "../../../../services/model-control/src/fleet/scaler";
import type { ScaleTarget, WorkerSpec } from "../../../../services/model-control/src/fleet/workers";
import type { StubModel } from "../ollama-stub";
import { MemoryState } from "./memory-state";

export const GIB = 1024 ** 3;
export const signal = new AbortController().signal;

/** Models by their memory in GiB; on disk they take a little less, as quantized ones do. */
export function model(memoryGiB: number, diskGiB = memoryGiB * 0.6): StubModel {
  return { memoryBytes: memoryGiB * GIB, diskBytes: Math.round(diskGiB * GIB) };
}

export function ollamaWorker(name: string, url: string, more: Partial<WorkerSpec> = {}): WorkerSpec {
  return { name, backend: "ollama", url, memoryBytes: 24 * GIB, pins: [], ...more };
}

export interface TestFleet {
  readonly fleet: Fleet;
  readonly state: MemoryState;
  readonly events: FleetEvent[];
  /** Models that left to make room, as `worker/model from place`, in order. */
  readonly evicted: () => string[];
  readonly pull: (model: string, options?: { readonly load?: boolean; readonly worker?: string }) => Promise<string>;
  /** Loaded models of each worker. */
  readonly loaded: () => Promise<Record<string, string[]>>;
}

/** Short, so that no test sits out what is to end by itself. */
const TIMES = {
  drainSeconds: 2,
  startSeconds: 0.2,
  pullBeatSeconds: 0.02,
  autoscalerSeconds: 0.2,
  lookSeconds: 0.01,
  settleSeconds: 0.05,
};

/** A fleet whose clock moves a second with every look at it. */
export function testFleet(workers: readonly WorkerSpec[], options: Partial<FleetOptions> = {}): TestFleet {
  const events: FleetEvent[] = [];
  const state = new MemoryState();
  let clock = Date.UTC(2026, 10, 21);
  const fleet = createFleet({
    workers,
    state,
    now: () => {
      clock += 1000;
      return new Date(clock);
    },
    onEvent: (event) => events.push(event),
    ...options,
    times: { ...TIMES, ...options.times },
  });
  return {
    fleet,
    state,
    events,
    evicted: () =>
      events.flatMap((event) => (event.type === "evicted" ? `${event.worker}/${event.model} from ${event.from}` : [])),
    pull: (name, { load = true, worker } = {}) =>
      fleet.pull(name, { load, worker, onProgress: () => undefined }, signal),
    loaded: async () => {
      const reports = await fleet.models(signal);
      const placements = reports.flatMap(({ model, placements }) =>
        placements.map((placement) => ({ model, ...placement })),
      );
      return Object.fromEntries(
        workers.map(({ name }) => [
          name,
          placements.filter(({ worker, state }) => worker === name && state === "loaded").map(({ model }) => model),
        ]),
      );
    },
  };
}

/** Remembers the replicas of each target, and what its autoscaler was told, as a cluster does. */
export class MemoryScaler implements Scaler {
  readonly counts = new Map<string, number>();
  /** All that was done, in order. */
  readonly scaled: string[] = [];
  /** Of the targets that name one. */
  autoscalerIs: AutoscalerState = { paused: false, sleeps: false };
  /** Called after each change of a count: what else scales the target. */
  afterScale: (name: string, replicas: number) => void = () => undefined;

  async replicas({ name }: ScaleTarget): Promise<number> {
    return this.counts.get(name) ?? 0;
  }

  async scale({ name }: ScaleTarget, replicas: number): Promise<void> {
    this.counts.set(name, replicas);
    this.scaled.push(`${name} to ${replicas}`);
    this.afterScale(name, replicas);
  }

  async autoscaler({ autoscaler }: ScaleTarget): Promise<AutoscalerState | undefined> {
    return autoscaler?.kind === "ScaledObject" ? this.autoscalerIs : undefined;
  }

  async tell({ name, autoscaler }: ScaleTarget, word: AutoscalerWord): Promise<void> {
    if (autoscaler?.kind === "ScaledObject") {
      this.scaled.push(`${name} is ${word}`);
      this.autoscalerIs = { ...this.autoscalerIs, paused: word === "stopped" };
    }
  }
}
