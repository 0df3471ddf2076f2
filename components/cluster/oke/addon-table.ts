import { DEVICE_PLUGIN_CONFIG, NO_HOST_RDMA } from "../../../names/gpu-sharing";
import type { PoolPlan, Taint } from "../../../planner/types";
import type { GpuVendor } from "../../core/gpu-access";
import { tolerationsOf } from "../../core/node-placement";
import type { OkePool } from "./settings";

/** Add-on settings by Oracle's keys. All are strings; lists and objects are JSON. */
export type AddonSettings = Readonly<Record<string, string>>;

export interface OkeAddon {
  /** Oracle's name. */
  readonly addon:
    | "CoreDNS"
    | "NvidiaGpuPlugin"
    | "AmdGpuPlugin"
    | "NodeFeatureDiscovery"
    | "NvidiaGpuOperator"
    | "NvidiaNetworkOperator";
  /** Add-ons to install before it. @default none */
  readonly follows?: readonly OkeAddon["addon"][];
  /** Suffix of the logical name. */
  readonly suffix: string;
  /** What depends on it: the platform, GPU pods, or pods of RDMA pools, whose nodes it requires. */
  readonly neededBy: "platform" | "gpus" | "rdma";
  /** Whether these pools require it. */
  readonly when: (pools: readonly OkePool[]) => boolean;
  readonly settings: (pools: readonly OkePool[]) => AddonSettings;
  /** Whether deletion removes its pods. An essential add-on stays as Oracle created it. */
  readonly removed: boolean;
}

/**
 * All add-ons except the autoscaler, which needs the pools' OCIDs.
 *
 * Absent: `KubeProxy` and `OciVcnIpNative`, which every cluster with native pod networking has;
 * `CertManager`, which the platform installs pinned; `KubernetesMetricsServer`, because the
 * platform does not use resource metrics. No version is pinned: only the cloud lists those of a
 * Kubernetes version. Oracle updates them.
 *
 * GPU nodes use Oracle's device plugin of their vendor. If a pool partitions GPUs or exposes RDMA
 * devices, NVIDIA's operators serve all NVIDIA nodes: two device plugins would both allocate a
 * node's GPUs. `disableNvidiaGpuPlugin` makes the node label
 * `oci.oraclecloud.com/disable-gpu-device-plugin` unnecessary.
 *
 * Keys: catalog/oke.json, enforced by a test.
 */
export const ADDONS: readonly OkeAddon[] = [
  {
    // Essential: pre-installed, with as little as one replica, on which all DNS would depend.
    addon: "CoreDNS",
    suffix: "dns",
    neededBy: "platform",
    when: () => true,
    settings: (pools) => ({ minReplica: "2", nodesPerReplica: "4", ...tolerationsOfDeployments(pools) }),
    removed: false,
  },
  {
    // Pods get GPUs through `nvidia.com/gpu` and environment variables that the node image's
    // container runtime reads.
    addon: "NvidiaGpuPlugin",
    suffix: "nvidia",
    neededBy: "gpus",
    when: (pools) => poolsOf("nvidia", pools).length > 0 && !needsGpuOperator(pools),
    settings: (pools) => ({
      migStrategy: "none",
      deviceListStrategy: "envvar",
      deviceIdStrategy: "uuid",
      // A node with a broken driver advertises no GPUs, instead of GPUs that fail the first model.
      failOnInitError: "true",
      tolerations: tolerations(taintsOf(poolsOf("nvidia", pools))),
    }),
    removed: true,
  },
  {
    addon: "AmdGpuPlugin",
    suffix: "amd",
    neededBy: "gpus",
    when: (pools) => poolsOf("amd", pools).length > 0,
    settings: (pools) => ({
      // Seconds between GPU health checks; the default is never.
      pulse: "30",
      tolerations: tolerations(taintsOf(poolsOf("amd", pools))),
    }),
    removed: true,
  },
  {
    // Both operators select nodes by its labels.
    addon: "NodeFeatureDiscovery",
    suffix: "node-features",
    neededBy: "gpus",
    when: (pools) => needsGpuOperator(pools) || needsNetworkOperator(pools),
    settings: (pools) => ({
      "worker.tolerations": tolerations(taintsOf(pools.filter(({ plan }) => plan.shape.gpu))),
      ...ofDeployments("master.tolerations", pools),
    }),
    removed: true,
  },
  {
    addon: "NvidiaGpuOperator",
    suffix: "nvidia-operator",
    neededBy: "gpus",
    follows: ["NodeFeatureDiscovery"],
    when: needsGpuOperator,
    settings: (pools) => {
      const nvidia = poolsOf("nvidia", pools);
      return {
        // Oracle may already have installed its plugin in the new cluster.
        disableNvidiaGpuPlugin: "true",
        skipNodeFeatureDiscoveryDependencyCheck: "false",
        "daemonsets.tolerations": tolerations(taintsOf(nvidia)),
        "toolkit.enabled": "true",
        "cdi.enabled": "true",
        "devicePlugin.enabled": "true",
        "devicePlugin.env": JSON.stringify(DEVICE_PLUGIN_VARIABLES),
        ...(nvidia.some(isTimeSliced) && { "devicePlugin.config.name": DEVICE_PLUGIN_CONFIG }),
        "mig.strategy": "mixed",
        "migManager.enabled": String(nvidia.some(isParted)),
        // The platform's exporter runs on every GPU node.
        "dcgm.enabled": "false",
        "dcgmExporter.enabled": "false",
      };
    },
    removed: true,
  },
  {
    // After the GPU operator, whose toolkit restarts CRI-O and would break pods that assign RDMA
    // addresses. Oracle's API does not report pod readiness. As in Oracle's stack, installed once
    // the toolkit has settled (components/gpu/rdma-devices.ts).
    addon: "NvidiaNetworkOperator",
    suffix: "nvidia-network",
    neededBy: "rdma",
    follows: ["NodeFeatureDiscovery", "NvidiaGpuOperator"],
    when: needsNetworkOperator,
    settings: (pools) => ({
      "sriovNetworkOperator.enabled": "true",
      "nicClusterPolicy.tolerations": tolerations(taintsOf(pools.filter(hasRdmaDevices))),
      ...ofDeployments("operator.tolerations", pools),
      ...ofDeployments("nicClusterPolicy.deploymentTolerations", pools),
    }),
    removed: true,
  },
];

/**
 * Device plugin settings for CDI: Oracle's default returns bare identifiers, which no container
 * runtime then resolves (oracle-quickstart/oci-hpc-oke@61d210a, terraform/oke-addons.tf,
 * 2026-08-20).
 */
const DEVICE_PLUGIN_VARIABLES = Object.entries({
  PASS_DEVICE_SPECS: "true",
  FAIL_ON_INIT_ERROR: "true",
  DEVICE_LIST_STRATEGY: "cdi-cri",
  DEVICE_ID_STRATEGY: "uuid",
  NVIDIA_VISIBLE_DEVICES: "all",
  NVIDIA_DRIVER_CAPABILITIES: "all",
  MOFED_ENABLED: NO_HOST_RDMA,
}).map(([name, value]) => ({ name, value }));

/** Oracle's plugin supports neither partitioned GPUs nor RDMA devices. */
function needsGpuOperator(pools: readonly OkePool[]): boolean {
  return pools.some(({ plan }) => needsNvidiaOperator(plan));
}

/**
 * Whether an NVIDIA pool needs more than Oracle's plugin: the operator then serves the whole
 * cluster.
 */
export function needsNvidiaOperator({ shape, sharing, fabric }: PoolPlan): boolean {
  return shape.gpu?.vendor === "nvidia" && (sharing !== undefined || fabric?.access === "virtual-functions");
}

function needsNetworkOperator(pools: readonly OkePool[]): boolean {
  return pools.some(hasRdmaDevices);
}

export function hasRdmaDevices({ plan }: OkePool): boolean {
  return plan.fabric?.access === "virtual-functions";
}

function isParted({ plan: { sharing } }: OkePool): boolean {
  return sharing !== undefined && "mig" in sharing;
}

function isTimeSliced({ plan: { sharing } }: OkePool): boolean {
  return sharing !== undefined && "timeSlicing" in sharing;
}

/** Tolerations for Deployments if all nodes have taints, without which there would be no DNS. */
export function tolerationsOfDeployments(pools: readonly OkePool[]): AddonSettings {
  return ofDeployments("tolerations", pools);
}

function ofDeployments(key: string, pools: readonly OkePool[]): AddonSettings {
  return pools.some(({ plan }) => taintsOf([{ plan }]).length === 0) ? {} : { [key]: tolerations(taintsOf(pools)) };
}

/** Deduplicated tolerations for the taints, as JSON. */
function tolerations(taints: readonly Taint[]): string {
  return JSON.stringify(tolerationsOf(taints));
}

function poolsOf(vendor: GpuVendor, pools: readonly OkePool[]): OkePool[] {
  return pools.filter(({ plan }) => plan.shape.gpu?.vendor === vendor);
}

/** Taints of nodes, including startup taints. */
function taintsOf(pools: readonly Pick<OkePool, "plan">[]): Taint[] {
  return pools.flatMap(({ plan }) => [...plan.taints, ...plan.startupTaints]);
}
