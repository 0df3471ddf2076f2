import type { FabricAccess, FabricDevice, FabricKind } from "../catalog/fabrics";
import type { GpuSharing } from "../catalog/gpu-sharing";
import type { MachineShape } from "../catalog/shapes";

/** A taint to tolerate or to put on nodes. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

/** What is decided of one node pool. */
export interface PoolPlan {
  readonly name: string;
  /** `system` runs the platform itself, `gpu` and `cpu` run models. */
  readonly role: "system" | "gpu" | "cpu";
  readonly shape: MachineShape;
  readonly minNodes: number;
  readonly maxNodes: number;
  /** One node, on demand. 0 for owned hardware. */
  readonly usdPerNodeHour: number;
  /** minNodes × usdPerNodeHour. */
  readonly hourlyUsd: number;
  /** Hours of nodes beyond minNodes that schedules of its models start, in the month in which they are most. */
  readonly scheduledNodeHours: number;
  /** minNodes for a month, and those hours. */
  readonly monthlyUsd: number;
  /** maxNodes for a month. */
  readonly maxMonthlyUsd: number;
  /** Hours a day after which somebody means to stop it. Not counted: nothing that is made here does. */
  readonly hoursPerDay: number;
  /** Labels that pods of this pool select nodes by. */
  readonly selector: Readonly<Record<string, string>>;
  /** What nodes made for this pool get, besides their cloud's labels. Of nodes that exist, pods ask the selector alone. */
  readonly labels: Readonly<Record<string, string>>;
  /** What nodes made for this pool get, and its pods tolerate. */
  readonly taints: readonly Taint[];
  /** What new nodes get besides, until something has looked at them: no model tolerates these. */
  readonly startupTaints: readonly Omit<Taint, "value">[];
  /** RDMA network that its nodes offer to pods; undefined where they have only Ethernet, or nobody says otherwise. */
  readonly fabric?: PoolFabric;
  /** What certifies the fabric of its nodes before models come. @default nothing: there is none, or too few nodes to try it between */
  readonly fabricGate?: FabricGatePlan;
  /** Parts of GPUs that its nodes offer. @default whole ones */
  readonly sharing?: GpuSharing;
  /** Its nodes keep pods' files on their local disks, encrypted, and empty after a reboot. */
  readonly localDisks: boolean;
  /** How kubelets place pods on NUMA nodes. Undefined: nobody here makes its nodes, or no engine has CPUs of its own there. */
  readonly numa?: NumaPolicy;
  /** Memory of its nodes is encrypted against their host. */
  readonly confidential: boolean;
  /** GPUs claimed by the minimum and the spare replicas of the models placed here, of minNodes × GPUs. */
  readonly gpusClaimed: number;
  readonly gpusTotal: number;
}

/** Policies of the kubelet's topology manager. */
export type NumaPolicy = "restricted" | "single-numa-node" | "best-effort";

/** The trial that nodes of a pool pass, two at a time, before models come (docs/fabric-gate.md). */
export interface FabricGatePlan {
  /** Least bus bandwidth of an all-reduce over two nodes, GB/s as nccl-tests says it. */
  readonly minBusGBps: number;
  /** Catalogue name of the image that holds the trial. */
  readonly image: string;
}

/** RDMA devices of a pool's nodes, as pods get them. */
export interface PoolFabric {
  readonly kind: FabricKind;
  readonly access: FabricAccess;
  /** All interfaces of a node together, Gbit/s. */
  readonly gbps: number;
  readonly device: FabricDevice;
  /** Label of its nodes that names the block of the network that they are in. @default nobody says */
  readonly topologyLabel?: string;
  /** Variables of NCCL or RCCL. */
  readonly environment: Readonly<Record<string, string>>;
}
