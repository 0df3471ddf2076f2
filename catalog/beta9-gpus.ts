/**
 * Beta9's GPU names by catalogue name. Source: beam-cloud/beta9 pkg/types/gpu.go@0b79dfebd, read
 * 2026-11-21.
 */
const GPU_TYPES: Readonly<Record<string, string>> = {
  "NVIDIA V100 16GB": "V100",
  "NVIDIA T4": "T4",
  "NVIDIA A10": "A10",
  "NVIDIA A10G": "A10G",
  "NVIDIA A100 40GB SXM": "A100-40",
  "NVIDIA A100 80GB SXM": "A100-80",
  "NVIDIA RTX A6000": "A6000",
  "NVIDIA L4": "L4",
  "NVIDIA L40S": "L40S",
  "NVIDIA GeForce RTX 4090": "RTX4090",
  "NVIDIA GeForce RTX 5090": "RTX5090",
  "NVIDIA RTX PRO 6000 Blackwell Server": "RTXPro6000",
  "NVIDIA H100 PCIe": "H100",
  "NVIDIA H100 80GB SXM": "H100",
  "NVIDIA H200 141GB SXM": "H200",
  "NVIDIA B200 180GB SXM": "B200",
};

/** Undefined for GPUs that Beta9 does not know, such as all of AMD's. */
export function beta9GpuType(gpuModel: string): string | undefined {
  return GPU_TYPES[gpuModel];
}
