/** What an operator or a task has decided about a worker. */
export type WorkerPhase = "running" | "draining" | "stopped" | "starting";

export interface WorkerRecord {
  readonly phase: WorkerPhase;
  /** Models that were loaded when it stopped; its start loads them again. */
  readonly rewarm: readonly string[];
  /** Replicas of its scale target before it was scaled to zero. */
  readonly replicas?: number;
}

/** What is remembered of a model on one worker, though the engine restarts or is away. */
export interface ModelRecord {
  readonly lastUsed: Date;
  /** The engine's mark at that time: see `EngineModel`. */
  readonly useMark?: string;
  readonly diskBytes?: number;
}

/** What a model takes, as an engine has told it: the best guess for every worker. */
export interface ModelSize {
  readonly diskBytes?: number;
  readonly memoryBytes?: number;
}

/** A pull that runs, or one that ended early and left bytes on the disk. */
export interface PullRecord {
  /** False once it has ended, or its process has not been heard of for a while. */
  readonly running: boolean;
  readonly totalBytes: number;
  readonly completedBytes: number;
}

/** The right to change a worker. Lost when `signal` aborts; what is written with a lost lease is refused. */
export interface Lease {
  readonly worker: string;
  /** Larger than that of every earlier lease of the worker. */
  readonly fence: number;
  readonly signal: AbortSignal;
}

/**
 * What the replicas of the API share about the fleet, and what outlives them.
 *
 * All methods throw `QueueUnavailable` when the store cannot be reached.
 */
export interface FleetState {
  /**
   * Runs `work` while no one else has the worker's lease; gives the lease back when it ends.
   *
   * @param waitSeconds how long to wait for it.
   * @throws WorkerBusy when that was not long enough.
   */
  withLease<T>(
    worker: string,
    waitSeconds: number,
    signal: AbortSignal,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T>;
  /** Phase `running` for a worker that nothing was decided about. */
  worker(worker: string): Promise<WorkerRecord>;
  /** @throws WorkerBusy when the lease is lost. */
  setWorker(lease: Lease, record: WorkerRecord): Promise<void>;

  models(worker: string): Promise<ReadonlyMap<string, ModelRecord>>;
  setModels(worker: string, changed: ReadonlyMap<string, ModelRecord>, gone: readonly string[]): Promise<void>;

  sizes(): Promise<ReadonlyMap<string, ModelSize>>;
  setSize(model: string, size: ModelSize): Promise<void>;

  /**
   * Says that a request is about to use a model; call `keepUse` every few seconds while it does, and `endUse` after it.
   *
   * @param use a name of this request's own.
   * @returns false while the model is leaving: then nothing was said.
   */
  beginUse(worker: string, model: string, use: string): Promise<boolean>;
  keepUse(worker: string, model: string, use: string): Promise<void>;
  endUse(worker: string, model: string, use: string): Promise<void>;
  /** Models that requests of any replica use now. */
  usedModels(worker: string): Promise<ReadonlySet<string>>;
  /**
   * From now on no request begins to use the model, until `stay`, or the end of the lease.
   *
   * @returns how many requests still use it.
   * @throws WorkerBusy when the lease is lost.
   */
  leave(lease: Lease, model: string): Promise<number>;
  stay(lease: Lease, model: string): Promise<void>;

  pulls(worker: string): Promise<ReadonlyMap<string, PullRecord>>;
  /** Also says that the process which pulls is alive: call it every few seconds. */
  setPull(worker: string, model: string, record: PullRecord): Promise<void>;
  endPull(worker: string, model: string): Promise<void>;
  /** Forgets the leftovers of pulls that ended at least this long ago. */
  forgetLeftovers(worker: string, olderThanSeconds: number): Promise<void>;
}
