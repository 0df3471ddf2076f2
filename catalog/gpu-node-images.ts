/** What GPU nodes boot, by the name that `cluster.gpuNodeImage` has for it. */
export const GPU_NODE_IMAGES = ["al2023", "bottlerocket", "oke-oracle-linux", "oke-ubuntu", "k3s", "bare"] as const;

export type GpuNodeImage = (typeof GPU_NODE_IMAGES)[number];
