/** What options of an engine take of the memory of its pods, besides what an engine takes anyway. */

/** One pod of a replica on GPUs or CPUs. */
export interface PodOfReplica {
  /** Processes of the engine that compute: one for each of the pod's GPUs, one without GPUs. */
  readonly processes: number;
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  readonly gpuVendor?: "nvidia" | "amd";
}

export interface HostMemoryUse {
  /** Where the file has it, below the model: `args.kv-offloading-size`. */
  readonly option: string;
  /** Of the pod's memory, GiB; all of `/dev/shm` counts in it. */
  readonly memoryGiB: number;
  /** Of that in `/dev/shm`, GiB. */
  readonly sharedMemoryGiB: number;
  /** What makes it so much. */
  readonly how: string;
  /** Memory of the machine below which the engine does not start with it, GiB. @default it looks at none */
  readonly machineGiB?: number;
}

/** GiB of all of them. */
export function sumOfUses(uses: readonly HostMemoryUse[]): Pick<HostMemoryUse, "memoryGiB" | "sharedMemoryGiB"> {
  return {
    memoryGiB: uses.reduce((sum, { memoryGiB }) => sum + memoryGiB, 0),
    sharedMemoryGiB: uses.reduce((sum, { sharedMemoryGiB }) => sum + sharedMemoryGiB, 0),
  };
}
