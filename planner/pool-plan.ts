import type { FabricAccess, FabricDevice, FabricKind } from "../catalog/fabrics";
import type { GpuSharing } from "../catalog/gpu-sharing";
import type { MachineShape } from "../catalog/shapes";

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

export interface PoolPlan {
  readonly name: string;
  /** `system` runs the platform, `gpu` and `cpu` run models. */
  readonly role: "system" | "gpu" | "cpu";
  readonly shape: MachineShape;
  readonly minNodes: number;
  readonly maxNodes: number;
  /** One node, on demand. 0 for owned hardware. */
  readonly usdPerNodeHour: number;
  /** minNodes × usdPerNodeHour. */
  readonly hourlyUsd: number;
  /** Scheduled hours beyond minNodes, in the month with most. */
  readonly scheduledNodeHours: number;
  /** minNodes for a month, plus scheduled hours. */
  readonly monthlyUsd: number;
  /** maxNodes for a month. */
  readonly maxMonthlyUsd: number;
  /** Hours a day that the user intends to run it. Not counted: nothing here stops nodes. */
  readonly hoursPerDay: number;
  /** Labels that its pods select nodes by. */
  readonly selector: Readonly<Record<string, string>>;
  /**
   * Labels of provisioned nodes besides their cloud's. On existing nodes, pods require the selector
   * only.
   */
  readonly labels: Readonly<Record<string, string>>;
  /** Taints of provisioned nodes, tolerated by its pods. */
  readonly taints: readonly Taint[];
  /** Taints of new nodes until they are checked: no model tolerates them. */
  readonly startupTaints: readonly Omit<Taint, "value">[];
  /** RDMA network for pods; undefined with Ethernet only, or when not stated. */
  readonly fabric?: PoolFabric;
  /** Fabric test before use. @default none: no RDMA, or too few nodes for a test */
  readonly fabricGate?: FabricGatePlan;
  /** GPU slices of its nodes. @default whole GPUs */
  readonly sharing?: GpuSharing;
  /** Pods' files are on local disks, encrypted, and empty after a reboot. */
  readonly localDisks: boolean;
  /** NUMA policy of kubelets. Undefined: nodes not provisioned here, or no exclusive CPUs. */
  readonly numa?: NumaPolicy;
  /** Node memory is encrypted against the host. */
  readonly confidential: boolean;
  /** GPUs claimed by minimum and spare replicas, of minNodes × GPUs. */
  /** Cache of weights on each node. @default none */
  readonly nodeCacheGiB?: number;
  readonly gpusClaimed: number;
  readonly gpusTotal: number;
}

export type NumaPolicy = "restricted" | "single-numa-node" | "best-effort";

/** Test that a pool's nodes pass in pairs before use (docs/fabric-gate.md). */
export interface FabricGatePlan {
  /** Least bus bandwidth of an all-reduce over two nodes, GB/s in nccl-tests' definition. */
  readonly minBusGBps: number;
  /** Catalogue image with the test. */
  readonly image: string;
}

/** RDMA devices of a pool's nodes, as pods get them. */
export interface PoolFabric {
  readonly kind: FabricKind;
  readonly access: FabricAccess;
  /** All interfaces of a node, Gbit/s. */
  readonly gbps: number;
  readonly device: FabricDevice;
  /** Node label for its network block. @default unknown */
  readonly topologyLabel?: string;
  /** For NCCL or RCCL. */
  readonly environment: Readonly<Record<string, string>>;
}
