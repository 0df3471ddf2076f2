import { CPU_QUEUE_LIMIT, GPU_IDLE_PERCENT, GPU_TEMPERATURE_LIMIT, LINK_RECOVERIES_LIMIT } from "../rules/limits";
import type { DashboardSpec } from "./spec";

const NODE = '{node=~"$node"}';
const LEGEND = "{{node}} {{gpu}} {{namespace}}";

export const gpus: DashboardSpec = {
  uid: "inference-gpus",
  title: "GPUs",
  description: "Load and health of each GPU, whatever its vendor. Empty rows: its exporter has no such figure.",
  variables: [{ name: "node", metric: "gpu_utilization_percent", label: "node" }],
  rows: [
    {
      title: "Load",
      panels: [
        {
          title: "Utilization",
          description: "Per GPU. Below the line for an hour over a model's GPUs: the alert GpuIdle.",
          unit: "percent",
          max: 100,
          limit: { below: GPU_IDLE_PERCENT },
          queries: [{ expr: `gpu_utilization_percent${NODE}`, legend: LEGEND }],
          alerts: ["GpuIdle"],
        },
        {
          title: "Memory",
          description: "Engines that preallocate stay at their limit: this is not load.",
          unit: "percent",
          max: 100,
          queries: [{ expr: `gpu_memory_utilization${NODE}`, legend: LEGEND }],
        },
        {
          title: "Tasks that wait for a CPU",
          description: "On the node of a model's replicas where most do. Above the line: the alert CpuQueueLong.",
          unit: "short",
          limit: { above: CPU_QUEUE_LIMIT },
          queries: [{ expr: "cpu_queue_length", legend: "{{model}}" }],
          alerts: ["CpuQueueLong"],
        },
      ],
    },
    {
      title: "Heat and power",
      panels: [
        {
          title: "Temperature",
          description: "Above the line for 10 minutes the alert GpuTemperature fires: the GPU throttles.",
          unit: "celsius",
          limit: { above: GPU_TEMPERATURE_LIMIT },
          queries: [{ expr: `gpu_temperature_celsius${NODE}`, legend: LEGEND }],
          alerts: ["GpuTemperature"],
        },
        {
          title: "Slowed down",
          description: "1: heat or a fault of power keeps the clocks down. For minutes: the alert GpuThrottled.",
          unit: "short",
          max: 1,
          queries: [{ expr: `gpu_throttled${NODE}`, legend: LEGEND }],
          alerts: ["GpuThrottled"],
        },
      ],
    },
    {
      title: "Faults",
      panels: [
        {
          title: "XIDs of hardware or driver",
          description: "Each fires the alert GpuXidErrors, whose entry says what to do about which number.",
          unit: "short",
          queries: [
            { expr: `gpu_hardware_xids${NODE}`, legend: `${LEGEND} XID {{xid}}` },
            { expr: `gpu_last_hardware_xid${NODE}`, legend: `${LEGEND} XID {{xid}}` },
          ],
          alerts: ["GpuXidErrors", "GpuLost"],
        },
        {
          title: "Uncorrectable memory errors",
          description: "In the last hour. Any: the alert GpuEccErrors.",
          unit: "short",
          queries: [{ expr: `gpu_uncorrectable_memory_errors:increase1h${NODE}`, legend: LEGEND }],
          alerts: ["GpuEccErrors"],
        },
        {
          title: "Rows to remap",
          description: "1: a bad row of memory is replaced at the next reset.",
          unit: "short",
          max: 1,
          queries: [{ expr: `gpu_row_remap_pending${NODE}`, legend: LEGEND }],
          alerts: ["GpuRowRemapPending"],
        },
        {
          title: "Failures of NVLink",
          description: "In the last hour. Above the line: the alert GpuLinkErrors.",
          unit: "short",
          limit: { above: LINK_RECOVERIES_LIMIT },
          queries: [{ expr: `gpu_link_recoveries:increase1h${NODE}`, legend: LEGEND }],
          alerts: ["GpuLinkErrors"],
        },
      ],
    },
  ],
};
