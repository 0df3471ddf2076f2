import { DEVICE_PLUGIN_CONFIG, NO_HOST_RDMA } from "../../../names/gpu-sharing";
import type { PoolPlan, Taint } from "../../../planner/types";
import type { GpuVendor } from "../../core/gpu-access";
import { tolerationsOf } from "../../core/node-placement";
import type { OkePool } from "./settings";

/** Settings of an add-on, by Oracle's keys. All are strings; what is a list or an object is JSON as text. */
export type AddonSettings = Readonly<Record<string, string>>;

/** What runs in an OKE cluster that Oracle installs and updates. */
export interface OkeAddon {
  /** As Oracle writes it. */
  readonly addon:
    | "CoreDNS"
    | "NvidiaGpuPlugin"
    | "AmdGpuPlugin"
    | "NodeFeatureDiscovery"
    | "NvidiaGpuOperator"
    | "NvidiaNetworkOperator";
  /** Those of the table that come before it, where the cluster has them. @default none */
  readonly follows?: readonly OkeAddon["addon"][];
  /** Last part of its logical name. */
  readonly suffix: string;
  /** Who waits for it: the platform, pods with GPUs, or pods of pools with RDMA devices, whose nodes it waits for in turn. */
  readonly neededBy: "platform" | "gpus" | "rdma";
  /** Whether a cluster with these pools needs it. */
  readonly when: (pools: readonly OkePool[]) => boolean;
  readonly settings: (pools: readonly OkePool[]) => AddonSettings;
  /** Whether its pods go when the add-on does. An essential one stays, as Oracle made it. */
  readonly removed: boolean;
}

/**
 * The add-ons besides the autoscaler, which depends on the pools' identifiers.
 *
 * Not here: `KubeProxy` and `OciVcnIpNative`, which every cluster with native pod networking has, and whose defaults are ours;
 * `CertManager`, because the platform brings its own, pinned; `KubernetesMetricsServer`, because nothing of ours reads
 * the resource metrics API. No version is pinned: which there are depends on the cluster's Kubernetes version and is
 * told by the cloud alone, so that a pin written here would fail the first deployment on another version. Oracle moves them.
 *
 * GPU nodes have Oracle's plugin of their vendor. Where a pool parts its GPUs, or gives RDMA devices to pods, NVIDIA's operators
 * serve all NVIDIA nodes instead: of two device plugins on a node, each would give the same cards away. The label
 * `oci.oraclecloud.com/disable-gpu-device-plugin` says the same of single nodes, and is not needed beside `disableNvidiaGpuPlugin`.
 *
 * Keys: catalog/oke.json, which a test holds these to.
 */
export const ADDONS: readonly OkeAddon[] = [
  {
    // Essential: it exists already, with one replica at least, which every name of the platform would hang on.
    addon: "CoreDNS",
    suffix: "dns",
    neededBy: "platform",
    when: () => true,
    settings: (pools) => ({ minReplica: "2", nodesPerReplica: "4", ...tolerationsOfDeployments(pools) }),
    removed: false,
  },
  {
    // Pods get their cards through `nvidia.com/gpu` and the variables that the container runtime of the node image reads.
    addon: "NvidiaGpuPlugin",
    suffix: "nvidia",
    neededBy: "gpus",
    when: (pools) => poolsOf("nvidia", pools).length > 0 && !needsGpuOperator(pools),
    settings: (pools) => ({
      migStrategy: "none",
      deviceListStrategy: "envvar",
      deviceIdStrategy: "uuid",
      // A node whose driver is broken shows no cards, instead of cards that fail the first model.
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
      // Seconds between health checks of the cards; the default is never.
      pulse: "30",
      tolerations: tolerations(taintsOf(poolsOf("amd", pools))),
    }),
    removed: true,
  },
  {
    // Both operators know their nodes by its labels.
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
        // Oracle may have put its own plugin into the new cluster already.
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
        // The platform's own exporter is on every GPU node, whatever its plugin.
        "dcgm.enabled": "false",
        "dcgmExporter.enabled": "false",
      };
    },
    removed: true,
  },
  {
    // After the GPU operator, whose toolkit restarts CRI-O on every node: that would strand the pods which give out addresses
    // of RDMA devices. Oracle's API says when an add-on is there, not when its pods are: it is installed once the toolkit has settled on
    // the nodes (components/gpu/rdma-devices.ts), as Oracle's own stack does.
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
 * What the device plugin is told where devices come by CDI: Oracle's default hands out bare identifiers, which no container
 * runtime resolves then (oracle-quickstart/oci-hpc-oke@61d210a, terraform/oke-addons.tf, 2026-08-20).
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

/** Parts of GPUs and RDMA devices are beyond Oracle's plugin. */
function needsGpuOperator(pools: readonly OkePool[]): boolean {
  return pools.some(({ plan }) => needsNvidiaOperator(plan));
}

/** Whether a pool of NVIDIA's cards asks for what Oracle's own plugin cannot: then the operator serves all of the cluster's. */
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

/**
 * Lets the pods of a Deployment run where there are only nodes that keep pods away: without it, a cluster of GPU
 * pools alone would have no name service.
 */
export function tolerationsOfDeployments(pools: readonly OkePool[]): AddonSettings {
  return ofDeployments("tolerations", pools);
}

function ofDeployments(key: string, pools: readonly OkePool[]): AddonSettings {
  return pools.some(({ plan }) => taintsOf([{ plan }]).length === 0) ? {} : { [key]: tolerations(taintsOf(pools)) };
}

/** Tolerations of pods for each of the taints, once, as JSON. */
function tolerations(taints: readonly Taint[]): string {
  return JSON.stringify(tolerationsOf(taints));
}

function poolsOf(vendor: GpuVendor, pools: readonly OkePool[]): OkePool[] {
  return pools.filter(({ plan }) => plan.shape.gpu?.vendor === vendor);
}

/** What keeps pods away from nodes, of new ones too. */
function taintsOf(pools: readonly Pick<OkePool, "plan">[]): Taint[] {
  return pools.flatMap(({ plan }) => [...plan.taints, ...plan.startupTaints]);
}
