/** Defaults for what no file states. */
import { findShape } from "../../catalog/shapes";
import type { Stage } from "../../planner/types";

/** Undefined: the default, marked in the environment. */
export interface ImportOptions {
  readonly cluster?: "local" | "oci" | "aws";
  /** OCI only. */
  readonly create: boolean;
  readonly stage?: Stage;
  readonly host?: string;
  /** For unnamed machines. */
  readonly card?: string;
  /** For unnamed machines. */
  readonly shape?: string;
  readonly gpusPerNode?: number;
  readonly nodeVcpus?: number;
  readonly nodeMemoryGib?: number;
  readonly usdPerNodeHour?: number;
  readonly concurrency?: number;
  /** Release that custom images without a version tag behave as. */
  readonly engineVersion?: string;
}

/** Options without effect for a kind of cluster. */
export function uselessOption(
  { create, card, shape }: ImportOptions,
  cluster: NonNullable<ImportOptions["cluster"]>,
): string | undefined {
  if (create && cluster !== "oci") {
    return `--create makes clusters of OCI, and the cluster is ${cluster}: add --cluster oci`;
  }
  if (card !== undefined && cluster !== "local") {
    return `--card names GPUs of machines of your own, and the cluster is ${cluster}: name --shape, or --cluster local`;
  }
  const provider = shape === undefined ? undefined : findShape(shape)?.provider;
  return provider !== undefined && provider !== cluster
    ? `--shape ${shape} is a machine of ${provider}, and the cluster is ${cluster}: add --cluster ${provider}`
    : undefined;
}

export const DEFAULTS = {
  host: "inference.example.com",
  stage: "development",
  cluster: "local",
  concurrency: 1,
  contextTokens: 8192,
  /** Of self-managed machines. */
  vcpusPerGpu: 16,
  memoryGibPerGpu: 128,
  networkGbps: 10,
} as const;

/** Tried in order until the plan fits, if no file names one. */
export const CANDIDATES = {
  local: { nvidia: ["l4", "l40s", "h100-sxm", "h200", "b200"], amd: ["mi210", "mi300x", "mi355x"] },
  oci: {
    nvidia: ["VM.GPU.A10.1", "VM.GPU.A10.2", "BM.GPU.A10.4", "BM.GPU.L40S.4", "BM.GPU.H100.8", "BM.GPU.H200.8"],
    amd: ["BM.GPU.MI300X.8"],
  },
  aws: {
    nvidia: ["g6.2xlarge", "g6.12xlarge", "g6e.2xlarge", "g6e.12xlarge", "p5.48xlarge", "p5e.48xlarge"],
    amd: [],
  },
} as const;

export const SYSTEM_POOLS = {
  local: { node: { vcpus: 16, memoryGiB: 64 } },
  oci: { shape: "VM.Standard.E5.Flex", ocpus: 8, memoryGiB: 64 },
  aws: { shape: "m7i.4xlarge" },
} as const;
