/** How an environment asks for parts of GPUs, on every node of a pool. */
export type GpuSharing = MigSharing | TimeSlicing;

/** Multi-Instance GPU: each card is parted into equal slices. */
export interface MigSharing {
  /** As the MIG manager names layouts: `all-1g.10gb`. */
  readonly mig: string;
}

/** Pods take turns on each card. */
export interface TimeSlicing {
  readonly timeSlicing: {
    /** Pods that share a card. */
    readonly replicas: number;
  };
}
