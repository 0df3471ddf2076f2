import { gpuRecordings } from "./gpu-series";
import { gpuSignals } from "./gpu-signals";
import { GPU_IDLE_PERCENT, GPU_TEMPERATURE_LIMIT, LINK_RECOVERIES_LIMIT } from "./limits";
import { modelNamespaceSeries, ofModels } from "./models";
import type { AlertRule, RuleSubject } from "./types";

/** For cases: a GPU in use by `chat`, by DCGM and as recorded. */
const EXPORTED = 'instance="10.0.0.1:9400",node="gpu-1",gpu="0",modelName="H100",namespace="model-chat",pod="chat-0"';
const RECORDED = {
  vendor: "nvidia",
  instance: "10.0.0.1:9400",
  node: "gpu-1",
  gpu: "0",
  product: "H100",
  namespace: "model-chat",
  pod: "chat-0",
};

/** When its pod ends, the exporter reports the fault without it. */
const named = (series: string, window: string) =>
  `max_over_time(${series}{pod!=""}[${window}]) or on (node, gpu, xid) max_over_time(${series}[${window}])`;

/** The exporter counts over 5 minutes: an hour in all. */
const COUNTED_XIDS = named("gpu_hardware_xids", "55m");

/**
 * Keeps the last XID until it restarts (NVIDIA/dcgm-exporter#500): an old one after a gap is no
 * news.
 */
const LAST_XIDS = named("gpu_last_hardware_xid", "1h");
const XIDS_BEFORE = "max by (node, gpu, xid) (max_over_time(gpu_last_hardware_xid[1d] offset 1h))";

const COUNT = `DCGM_EXP_XID_ERRORS_COUNT{${EXPORTED}`;
const onGpu = (gpu: number) => EXPORTED.replace('gpu="0"', `gpu="${gpu}"`).replace("10.0.0.1", "10.0.0.2");

const xidErrors: AlertRule = {
  alert: "GpuXidErrors",
  expr: `${COUNTED_XIDS} or ((${LAST_XIDS}) unless on (node, gpu, xid) ${XIDS_BEFORE})`,
  for: "1m",
  severity: "critical",
  summary: "GPU {{ $labels.gpu }} of node {{ $labels.node }} reported XID {{ $labels.xid }}",
  description:
    "In the last hour the driver reported XID {{ $labels.xid }} on a {{ $labels.product }}, used by {{ $labels.namespace }}/{{ $labels.pod }}. It is a fault of hardware, driver or link, not of the program. Drain the node before answers are wrong. GpuLost fires while the GPU is unavailable.",
  cases: {
    // The program's clean-up follows, then its pod ends.
    fires: {
      series: {
        [`${COUNT}}`]: "0x4 _x20",
        [`${COUNT},xid="48"}`]: "_x5 1x2 _x20",
        [`${COUNT.replace(/,namespace.*/, "")},xid="48"}`]: "_x8 1x1 _x20",
        [`${COUNT},xid="45"}`]: "_x5 8x4 _x20",
        [`DCGM_FI_DEV_XID_ERRORS{${EXPORTED}}`]: "0x4 45x20",
      },
      at: "20m",
      labels: { ...RECORDED, xid: "48" },
    },
    // 13 is the program's, 154 follows another; a last XID of two hours ago, with a gap.
    quiet: {
      series: {
        [`${COUNT},xid="13"}`]: "_x4 1x120",
        [`${COUNT},xid="154"}`]: "_x4 1x120",
        [`DCGM_FI_DEV_XID_ERRORS{${onGpu(1)}}`]: "79x40 _x40 79x44",
        [`DCGM_FI_DEV_XID_ERRORS{${onGpu(2)}}`]: "0x4 154x120",
      },
      at: "120m",
    },
  },
};

const eccErrors: AlertRule = {
  alert: "GpuEccErrors",
  expr: "gpu_uncorrectable_memory_errors:increase1h > 0",
  for: "1m",
  severity: "critical",
  summary: "Uncorrectable memory errors on GPU {{ $labels.gpu }} of node {{ $labels.node }}",
  description:
    "A {{ $labels.product }} had uncorrectable memory errors in the last hour, under {{ $labels.namespace }}/{{ $labels.pod }}. Drain the node and reset the GPU; replace it when they return.",
  cases: {
    fires: {
      series: {
        [`DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS{${EXPORTED}}`]: "0x20 1x40",
        [`DCGM_FI_DEV_ROW_REMAP_FAILURE{${EXPORTED}}`]: "0x60",
      },
      at: "30m",
      labels: RECORDED,
    },
    // Rows were remapped long ago.
    quiet: {
      series: {
        [`DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS{${EXPORTED}}`]: "2x60",
        [`DCGM_FI_DEV_ROW_REMAP_FAILURE{${EXPORTED}}`]: "0x60",
      },
      at: "30m",
    },
  },
};

const idle: AlertRule = {
  alert: "GpuIdle",
  expr: `avg by (namespace, model) (${ofModels("avg_over_time(gpu_utilization_percent[1h])")}) < ${GPU_IDLE_PERCENT}`,
  for: "1h",
  severity: "info",
  summary: "GPUs of {{ $labels.model }} are {{ $value | humanize }} % busy",
  description:
    "The GPUs that {{ $labels.model }} holds averaged under 30 % over an hour: fewer replicas, a smaller shape or a shared pool would cost less.",
  cases: {
    fires: {
      series: { ...modelNamespaceSeries("chat", "1x180"), [`DCGM_FI_DEV_GPU_UTIL{${EXPORTED}}`]: "5x180" },
      at: "150m",
      labels: { namespace: "model-chat", model: "chat" },
    },
    quiet: {
      series: { ...modelNamespaceSeries("chat", "1x180"), [`DCGM_FI_DEV_GPU_UTIL{${EXPORTED}}`]: "45x180" },
      at: "150m",
    },
  },
};

const temperature: AlertRule = {
  alert: "GpuTemperature",
  expr: `gpu_temperature_celsius > ${GPU_TEMPERATURE_LIMIT}`,
  for: "10m",
  severity: "warning",
  summary: "GPU {{ $labels.gpu }} of node {{ $labels.node }} is at {{ $value }} °C",
  description:
    "A {{ $labels.product }} has been above 85 °C for 10 minutes: it throttles, and {{ $labels.namespace }}/{{ $labels.pod }} answers more slowly. Check the node's cooling and its other GPUs.",
  cases: {
    fires: { series: { [`DCGM_FI_DEV_GPU_TEMP{${EXPORTED}}`]: "91x30" }, at: "20m", labels: RECORDED },
    quiet: { series: { [`DCGM_FI_DEV_GPU_TEMP{${EXPORTED}}`]: "78x30" }, at: "20m" },
  },
};

const throttled: AlertRule = {
  alert: "GpuThrottled",
  expr: "avg_over_time(gpu_throttled[10m]) > 0.5",
  for: "5m",
  severity: "warning",
  summary: "GPU {{ $labels.gpu }} of node {{ $labels.node }} is slowed down by heat or power",
  description:
    "Heat or a power fault has lowered the clocks of a {{ $labels.product }} for most of 10 minutes. {{ $labels.namespace }}/{{ $labels.pod }} answers more slowly than planned. Check the driver's reasons, then the node's cooling and power supplies.",
  cases: {
    fires: { series: { [`DCGM_FI_DEV_CLOCKS_EVENT_REASONS{${EXPORTED}}`]: "4x10 68x30" }, at: "35m", labels: RECORDED },
    // The power cap always; the brake for a minute now and then.
    quiet: {
      series: { [`DCGM_FI_DEV_CLOCKS_EVENT_REASONS{${EXPORTED}}`]: "4x10 132x1 4x8 132x1 4x20" },
      at: "25m",
    },
  },
};

const rowRemapPending: AlertRule = {
  alert: "GpuRowRemapPending",
  expr: "gpu_row_remap_pending > 0",
  for: "10m",
  severity: "warning",
  summary: "GPU {{ $labels.gpu }} of node {{ $labels.node }} remaps a row of its memory at the next reset",
  description:
    "A {{ $labels.product }} has a bad row of memory, and uses a spare one only after a reset. Until then {{ $labels.namespace }}/{{ $labels.pod }} may hit it again. Drain the node and reset the GPU at the next maintenance.",
  cases: {
    fires: { series: { [`DCGM_FI_DEV_ROW_REMAP_PENDING{${EXPORTED}}`]: "0x5 1x30" }, at: "25m", labels: RECORDED },
    quiet: { series: { [`DCGM_FI_DEV_ROW_REMAP_PENDING{${EXPORTED}}`]: "0x5 1x8 0x20" }, at: "25m" },
  },
};

const linkErrors: AlertRule = {
  alert: "GpuLinkErrors",
  expr: `gpu_link_recoveries:increase1h > ${LINK_RECOVERIES_LIMIT}`,
  for: "1m",
  severity: "warning",
  summary: "NVLink of GPU {{ $labels.gpu }} of node {{ $labels.node }} failed {{ $value | humanize }} times in an hour",
  description:
    "Links of a {{ $labels.product }} failed and recovered more than twice in the last hour, and {{ $labels.namespace }}/{{ $labels.pod }} waited each time. A link that stays down reports XID 74 and ends the replica. Check the links, and drain the node.",
  cases: {
    fires: {
      series: { [`DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{${EXPORTED}}`]: "4x10 5x5 6x5 8x40" },
      at: "50m",
      labels: RECORDED,
    },
    // Once in an hour; many long ago.
    quiet: { series: { [`DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{${EXPORTED}}`]: "40x20 41x40" }, at: "50m" },
  },
};

export const gpu: RuleSubject = {
  subject: "gpu",
  recording: [...gpuRecordings, ...gpuSignals],
  alerts: [xidErrors, eccErrors, rowRemapPending, linkErrors, idle, temperature, throttled],
};
