import type { Taint } from "../../../planner/types";
import type { GpuVendor } from "../../core/gpu-access";
import { toleration } from "../../core/hardened-pod";
import type { OkePool } from "./settings";

/** Settings of an add-on, by Oracle's keys. All are strings; what is a list or an object is JSON as text. */
export type AddonSettings = Readonly<Record<string, string>>;

/** What runs in an OKE cluster that Oracle installs and updates. */
export interface OkeAddon {
  /** As Oracle writes it. */
  readonly addon: "CoreDNS" | "NvidiaGpuPlugin" | "AmdGpuPlugin";
  /** Last part of its logical name. */
  readonly suffix: string;
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
 * Keys: docs.oracle.com, ContEng/Tasks/configuration-arguments-{coredns,nvidia-gpu-plugin,amd-gpu-plugin}, page of
 * 2026-09-05, read 2026-11-23.
 */
export const ADDONS: readonly OkeAddon[] = [
  {
    // Essential: it exists already, with one replica at least, which every name of the platform would hang on.
    addon: "CoreDNS",
    suffix: "dns",
    when: () => true,
    settings: (pools) => ({ minReplica: "2", nodesPerReplica: "4", ...tolerationsOfDeployments(pools) }),
    removed: false,
  },
  {
    // Pods get their cards through `nvidia.com/gpu` and the variables that the container runtime of the node image reads.
    addon: "NvidiaGpuPlugin",
    suffix: "nvidia",
    when: (pools) => poolsOf("nvidia", pools).length > 0,
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
    when: (pools) => poolsOf("amd", pools).length > 0,
    settings: (pools) => ({
      // Seconds between health checks of the cards; the default is never.
      pulse: "30",
      tolerations: tolerations(taintsOf(poolsOf("amd", pools))),
    }),
    removed: true,
  },
];

/**
 * Lets the pods of a Deployment run where there are only nodes that keep pods away: without it, a cluster of GPU
 * pools alone would have no name service.
 */
export function tolerationsOfDeployments(pools: readonly OkePool[]): AddonSettings {
  return pools.some(({ plan }) => plan.taints.length === 0) ? {} : { tolerations: tolerations(taintsOf(pools)) };
}

/** Tolerations of pods for each of the taints, once, as JSON. */
function tolerations(taints: readonly Taint[]): string {
  const each = new Map(taints.map((taint) => [JSON.stringify(taint), toleration(taint)]));
  return JSON.stringify([...each.values()]);
}

function poolsOf(vendor: GpuVendor, pools: readonly OkePool[]): OkePool[] {
  return pools.filter(({ plan }) => plan.shape.gpu?.vendor === vendor);
}

function taintsOf(pools: readonly OkePool[]): Taint[] {
  return pools.flatMap(({ plan }) => plan.taints);
}
