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
  private readonly leaving = new Map<string, Map<string, number>>();
  private readonly uses = new Map<string, Map<string, string>>();
  /** The fence of the lease that somebody has. */
  private readonly held = new Map<string, number>();
  private fence = 0;

  async withLease<T>(
    worker: string,
    _wait: number,
    signal: AbortSignal,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T> {
    const before = this.leases.get(worker) ?? Promise.resolve();
    const mine = before.then(async () => {
      this.fence += 1;
      this.held.set(worker, this.fence);
      try {
        return await work({ worker, fence: this.fence, signal });
      } finally {
        this.held.delete(worker);
      }
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

  async beginUse(worker: string, model: string, use: string): Promise<boolean> {
    const mark = of(this.leaving, worker).get(model);
    if (mark !== undefined && mark === this.held.get(worker)) {
      return false;
    }
    of(this.uses, worker).set(use, model);
    return true;
  }

  async keepUse(): Promise<void> {}

  async endUse(worker: string, _model: string, use: string): Promise<void> {
    of(this.uses, worker).delete(use);
  }

  async usedModels(worker: string): Promise<ReadonlySet<string>> {
    return new Set(of(this.uses, worker).values());
  }

  async leave({ worker, fence }: Lease, model: string): Promise<number> {
    of(this.leaving, worker).set(model, fence);
    return [...of(this.uses, worker).values()].filter((one) => one === model).length;
  }

  async stay({ worker }: Lease, model: string): Promise<void> {
    of(this.leaving, worker).delete(model);
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
