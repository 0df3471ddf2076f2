/** Requested state of a worker. */
export type WorkerPhase = "running" | "draining" | "stopped" | "starting";

export interface WorkerRecord {
  readonly phase: WorkerPhase;
  /** Models loaded at the stop; a start reloads them. */
  readonly rewarm: readonly string[];
  /** Replicas before it was scaled to zero. */
  readonly replicas?: number;
}

/** Stored data of a model on one worker, independent of the engine's availability. */
export interface ModelRecord {
  readonly lastUsed: Date;
  /** The engine's mark then: see `EngineModel`. */
  readonly useMark?: string;
  readonly diskBytes?: number;
}

/** Last reported size of a model; the estimate for every worker. */
export interface ModelSize {
  readonly diskBytes?: number;
  readonly memoryBytes?: number;
}

/** Running pull, or an interrupted one with bytes on disk. */
export interface PullRecord {
  /** False after its end, or without a recent heartbeat. */
  readonly running: boolean;
  readonly totalBytes: number;
  readonly completedBytes: number;
}

/** Lease for changing a worker. `signal` aborts on loss; writes with a lost lease are refused. */
export interface Lease {
  readonly worker: string;
  /** Increases with every lease of the worker. */
  readonly fence: number;
  readonly signal: AbortSignal;
}

/**
 * Fleet state shared by API replicas and kept across restarts.
 *
 * Methods throw `QueueUnavailable` when the store is unreachable.
 */
export interface FleetState {
  /**
   * Runs `work` with the worker's exclusive lease.
   *
   * @param waitSeconds maximum wait for the lease.
   * @throws WorkerBusy after that.
   */
  withLease<T>(
    worker: string,
    waitSeconds: number,
    signal: AbortSignal,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T>;
  /** Phase `running` without a record. */
  worker(worker: string): Promise<WorkerRecord>;
  /** @throws WorkerBusy when the lease is lost. */
  setWorker(lease: Lease, record: WorkerRecord): Promise<void>;

  models(worker: string): Promise<ReadonlyMap<string, ModelRecord>>;
  setModels(worker: string, changed: ReadonlyMap<string, ModelRecord>, gone: readonly string[]): Promise<void>;

  sizes(): Promise<ReadonlyMap<string, ModelSize>>;
  setSize(model: string, size: ModelSize): Promise<void>;

  /**
   * Registers a request's use of a model; call `keepUse` every few seconds, then `endUse`.
   *
   * @param use unique per request.
   * @returns false, without registering, while the model is leaving.
   */
  beginUse(worker: string, model: string, use: string): Promise<boolean>;
  keepUse(worker: string, model: string, use: string): Promise<void>;
  endUse(worker: string, model: string, use: string): Promise<void>;
  /** Models in use by requests of any replica. */
  usedModels(worker: string): Promise<ReadonlySet<string>>;
  /**
   * Blocks new uses of the model until `stay`, or the lease ends.
   *
   * @returns number of running requests.
   * @throws WorkerBusy when the lease is lost.
   */
  leave(lease: Lease, model: string): Promise<number>;
  stay(lease: Lease, model: string): Promise<void>;

  pulls(worker: string): Promise<ReadonlyMap<string, PullRecord>>;
  /** Also the pull's heartbeat: call it every few seconds. */
  setPull(worker: string, model: string, record: PullRecord): Promise<void>;
  endPull(worker: string, model: string): Promise<void>;
  /** Removes leftovers of pulls that ended before this time. */
  forgetLeftovers(worker: string, olderThanSeconds: number): Promise<void>;
}
