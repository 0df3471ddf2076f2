/** GPUs and parts of them as device plugins offer them, by kube-state-metrics' names: whole cards, turns (time slicing) and slices (MIG). */
export const NVIDIA_RESOURCES = "nvidia_com_(gpu|gpu_shared|mig_.+)";

/** Selects GPUs of every vendor. */
export const GPU_RESOURCES = `resource=~"${NVIDIA_RESOURCES}|amd_com_gpu"`;
