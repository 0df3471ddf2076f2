import { image } from "../../catalog/images";
import type { Labels } from "../../names/labels";
import { GPU_METRICS_NAMESPACE } from "../../names/namespaces";
import { NODE_AGENTS } from "../../planner/node-agents";
import { SCRAPE_SECONDS } from "../../planner/scaling";
import type { HelmValues } from "../core/chart-release";
import type { ControllerArgs } from "../core/controller";
import type { GpuAccessByVendor, GpuVendor } from "../core/gpu-access";
import { type NodePlacement, nodePlacement, type PoolNodes } from "../core/node-placement";
import { burstable } from "../core/resources";
import { gpuCounterList } from "./gpu-counters";

/** Nodes with GPUs of one vendor. */
export interface GpuPool extends PoolNodes {
  readonly vendor: GpuVendor;
}

export interface GpuMetricsArgs {
  /** Every pool with GPUs; vendors without a pool get no exporter. */
  readonly pools: readonly GpuPool[];
  /** Its RuntimeClass is that by which a pod sees the GPUs of a k3s node without claiming one. @default none */
  readonly gpuAccess?: GpuAccessByVendor;
  /** Labels that the operator asks of their monitors. @default none */
  readonly monitorLabels?: Labels | undefined;
}

/** Where an exporter runs: the nodes of all pools of its vendor. */
interface Placement extends NodePlacement {
  readonly runtimeClass: string | undefined;
}

interface Exporter {
  readonly chart: string;
  readonly port: number;
  /** Labels that the chart gives the exporter's pods. */
  readonly podLabels: Labels;
  /** Whether the exporter asks the Kubernetes API which pod holds which GPU; DCGM asks the kubelet alone. */
  readonly usesKubernetesApi: boolean;
  readonly values: (placement: Placement) => HelmValues;
  /** Value below `serviceMonitor` with further labels of the monitor. */
  readonly monitorKey: "additionalLabels" | "labels";
}

/**
 * The exporter names the pod that holds the GPU. The labels of its own pod would hide that, so they go;
 * `node` is taken from discovery, because the exporters' own host-name label changes its spelling with versions.
 */
const MONITOR: HelmValues = {
  enabled: true,
  interval: `${SCRAPE_SECONDS}s`,
  honorLabels: true,
  relabelings: [
    { sourceLabels: ["__meta_kubernetes_pod_node_name"], targetLabel: "node" },
    { action: "labeldrop", regex: "namespace|pod|container" },
  ],
};

const RESOURCES = burstable(NODE_AGENTS.gpuExporter, { cpu: 0.5, memoryGiB: 1, ephemeralStorageGiB: 1 });

/** One row per vendor. */
export const GPU_EXPORTERS: Readonly<Record<GpuVendor, Exporter>> = {
  nvidia: {
    chart: "dcgm-exporter",
    port: 9400,
    podLabels: { "app.kubernetes.io/name": "dcgm-exporter" },
    usesKubernetesApi: false,
    values: ({ affinity, tolerations, runtimeClass }) => ({
      affinity,
      tolerations,
      ...(runtimeClass !== undefined && { runtimeClassName: runtimeClass }),
      resources: { ...RESOURCES },
      // Pod and namespace of each GPU come from the kubelet's socket: the chart sets DCGM_EXPORTER_KUBERNETES.
      // Other labels of the pod would need the right to read every pod of the cluster.
      kubernetes: { enablePodLabels: false, enablePodUID: false, rbac: { create: false } },
      customMetrics: gpuCounterList(),
      serviceMonitor: MONITOR,
    }),
    monitorKey: "additionalLabels",
  },
  amd: {
    chart: "amd-device-metrics-exporter",
    port: 5000,
    podLabels: { "app.kubernetes.io/name": "metrics-exporter" },
    usesKubernetesApi: true,
    values: ({ affinity, tolerations }) => ({
      affinity,
      tolerations,
      priorityClassName: "system-node-critical",
      image: { pullPolicy: "IfNotPresent", initContainerImage: image("busybox") },
      resources: { ...RESOURCES },
      serviceMonitor: MONITOR,
    }),
    monitorKey: "labels",
  },
};

/** GPU exporters of each vendor that the plan has, on the nodes of its pools only. */
export function gpuMetrics({ pools, gpuAccess, monitorLabels }: GpuMetricsArgs): ControllerArgs {
  return {
    namespace: GPU_METRICS_NAMESPACE,
    contents: () => ({
      charts: gpuVendors(pools).map((vendor) => {
        const { chart, values, monitorKey } = GPU_EXPORTERS[vendor];
        const where = nodePlacement(pools.filter((pool) => pool.vendor === vendor));
        const own = values({ ...where, runtimeClass: gpuAccess?.[vendor]?.runtimeClass });
        return {
          suffix: vendor,
          chart,
          release: chart,
          values: monitorLabels ? { ...own, serviceMonitor: { ...MONITOR, [monitorKey]: monitorLabels } } : own,
        };
      }),
    }),
  };
}

/** Vendors of the pools, each once, in a stable order. */
export function gpuVendors(pools: readonly GpuPool[]): GpuVendor[] {
  return [...new Set(pools.map(({ vendor }) => vendor))].sort();
}
