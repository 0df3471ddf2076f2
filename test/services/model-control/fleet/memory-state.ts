import { WorkerBusy } from "../../../../services/model-control/src/errors";
import type {
  FleetState,
  Lease,
  ModelRecord,
  ModelSize,
  PullRecord,
  WorkerRecord,
} from "../../../../services/model-control/src/fleet/state";

/** The state of a fleet in this process alone. */
export class MemoryState implements FleetState {
  /** How long ago every pull ended that does not run. */
  leftoversAreSeconds = 0;
  private readonly records = new Map<string, WorkerRecord>();
  private readonly known = new Map<string, Map<string, ModelRecord>>();
  private readonly running = new Map<string, Map<string, PullRecord>>();
  private readonly allSizes = new Map<string, ModelSize>();
  private readonly leases = new Map<string, Promise<unknown>>();
  private fence = 0;

  async withLease<T>(
    worker: string,
    _wait: number,
    signal: AbortSignal,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T> {
    const before = this.leases.get(worker) ?? Promise.resolve();
    const mine = before.then(() => {
      this.fence += 1;
      return work({ worker, fence: this.fence, signal });
    });
    this.leases.set(
      worker,
      mine.catch(() => undefined),
    );
    return mine;
  }

  async worker(worker: string): Promise<WorkerRecord> {
    return this.records.get(worker) ?? { phase: "running", rewarm: [] };
  }

  async setWorker(lease: Lease, record: WorkerRecord): Promise<void> {
    if (lease.signal.aborted) {
      throw new WorkerBusy("the lease is lost");
    }
    this.records.set(lease.worker, record);
  }

  async models(worker: string): Promise<ReadonlyMap<string, ModelRecord>> {
    return new Map(of(this.known, worker));
  }

  async setModels(worker: string, changed: ReadonlyMap<string, ModelRecord>, gone: readonly string[]): Promise<void> {
    for (const [model, record] of changed) {
      of(this.known, worker).set(model, record);
    }
    for (const model of gone) {
      of(this.known, worker).delete(model);
    }
  }

  async sizes(): Promise<ReadonlyMap<string, ModelSize>> {
    return this.allSizes;
  }

  async setSize(model: string, size: ModelSize): Promise<void> {
    this.allSizes.set(model, size);
  }

  async pulls(worker: string): Promise<ReadonlyMap<string, PullRecord>> {
    return new Map(of(this.running, worker));
  }

  async setPull(worker: string, model: string, record: PullRecord): Promise<void> {
    of(this.running, worker).set(model, record);
  }

  async endPull(worker: string, model: string): Promise<void> {
    of(this.running, worker).delete(model);
  }

  async forgetLeftovers(worker: string, olderThanSeconds: number): Promise<void> {
    if (this.leftoversAreSeconds < olderThanSeconds) {
      return;
    }
    for (const [model, { running }] of of(this.running, worker)) {
      if (!running) {
        of(this.running, worker).delete(model);
      }
    }
  }
}

function of<T>(maps: Map<string, Map<string, T>>, worker: string): Map<string, T> {
  const map = maps.get(worker) ?? new Map<string, T>();
  maps.set(worker, map);
  return map;
}
