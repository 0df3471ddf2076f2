/** Host memory of engine options, besides what an engine always needs. */

export interface PodOfReplica {
  /** Computing processes: one per GPU of the pod, or one without GPUs. */
  readonly processes: number;
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  readonly gpuVendor?: "nvidia" | "amd";
}

export interface HostMemoryUse {
  /** Configuration path below the model: `args.kv-offloading-size`. */
  readonly option: string;
  /** Pod memory including `/dev/shm`, GiB. */
  readonly memoryGiB: number;
  /** `/dev/shm` share of it, GiB. */
  readonly sharedMemoryGiB: number;
  /** Explanation of the amount. */
  readonly how: string;
  /**
   * Machine memory below which the engine refuses to start with the option, GiB.
   * @default not checked
   */
  readonly machineGiB?: number;
}

export function sumOfUses(uses: readonly HostMemoryUse[]): Pick<HostMemoryUse, "memoryGiB" | "sharedMemoryGiB"> {
  return {
    memoryGiB: uses.reduce((sum, { memoryGiB }) => sum + memoryGiB, 0),
    sharedMemoryGiB: uses.reduce((sum, { sharedMemoryGiB }) => sum + sharedMemoryGiB, 0),
  };
}
