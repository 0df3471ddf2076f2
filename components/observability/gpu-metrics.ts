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

export interface GpuPool extends PoolNodes {
  readonly vendor: GpuVendor;
}

export interface GpuMetricsArgs {
  /** Vendors without a pool get no exporter. */
  readonly pools: readonly GpuPool[];
  /** RuntimeClass by which pods see GPUs of a k3s node without claiming one. @default none */
  readonly gpuAccess?: GpuAccessByVendor;
  /** Labels by which the operator selects monitors. @default none */
  readonly monitorLabels?: Labels | undefined;
}

interface Placement extends NodePlacement {
  readonly runtimeClass: string | undefined;
}

interface Exporter {
  readonly chart: string;
  readonly port: number;
  /** Pod labels by the chart. */
  readonly podLabels: Labels;
  /** DCGM asks the kubelet alone. */
  readonly usesKubernetesApi: boolean;
  readonly values: (placement: Placement) => HelmValues;
  readonly monitorKey: "additionalLabels" | "labels";
}

/**
 * The exporter names the pod that holds the GPU; labels of its own pod would hide it. `node` comes
 * from discovery: the exporters' host-name label differs by version.
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
      // Pod and namespace come from the kubelet's socket (DCGM_EXPORTER_KUBERNETES). Other labels
      // need the right to read every pod.
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

export function gpuVendors(pools: readonly GpuPool[]): GpuVendor[] {
  return [...new Set(pools.map(({ vendor }) => vendor))].sort();
}
