/** Whole cards, time slices and MIG slices, as kube-state-metrics spells them. */
export const NVIDIA_RESOURCES = "nvidia_com_(gpu|gpu_shared|mig_.+)";

export const GPU_RESOURCES = `resource=~"${NVIDIA_RESOURCES}|amd_com_gpu"`;
