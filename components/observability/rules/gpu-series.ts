import type { RecordingRule } from "./types";

/**
 * One per GPU, with labels `vendor, node, instance, gpu, product, namespace, pod`; XIDs add `xid`.
 */
const GPU_SERIES = {
  gpu_utilization_percent: "Share of time in which the GPU ran a kernel, 0 to 100.",
  gpu_memory_utilization: "Share of GPU memory in use, 0 to 100.",
  gpu_temperature_celsius: "Temperature of the GPU, in degrees Celsius.",
  gpu_throttled: "1 where heat or a fault of power keeps the GPU's clocks down, 0 otherwise.",
  gpu_hardware_xids: "How often each XID of hardware or driver came in the last 5 minutes.",
  gpu_last_hardware_xid:
    "1 where the last XID of an exporter that does not count them was one of hardware or driver, within the last minute.",
  "gpu_uncorrectable_memory_errors:increase1h":
    "Uncorrectable memory errors, or failures to remap them, in the last hour.",
  gpu_row_remap_pending: "1 where a row of the GPU's memory is remapped at its next reset, 0 otherwise.",
  "gpu_link_recoveries:increase1h": "How often links between GPUs failed and recovered in the last hour.",
} as const;

/** How an exporter gives a series, with an example. */
interface Derivation {
  readonly expr: string;
  readonly given: Readonly<Record<string, number>>;
  readonly gives: number;
  readonly xid?: number;
}

/** Alerts and dashboards use the recorded names: a new exporter is one row. */
interface GpuExporter {
  readonly vendor: "nvidia" | "amd";
  readonly gpuLabel: string;
  readonly productLabel: string;
  /** Without series that the exporter cannot give. */
  readonly series: Partial<Record<keyof typeof GPU_SERIES, Derivation>>;
}

/** Application faults by NVIDIA's "XID Errors" guide. */
const APPLICATION_XIDS = [13, 31, 43, 45];

/** 154 follows another XID, which has the cause. */
const NO_CAUSE_XIDS = [...APPLICATION_XIDS, 154];

const COUNTED_XIDS = "DCGM_EXP_XID_ERRORS_COUNT";

/**
 * DCGM's reasons that mean a fault (dcgm_fields.h): hardware slowdown, thermal by driver and
 * hardware, power brake. The power cap (4) is normal under load.
 */
const THROTTLE_BITS = [8, 32, 64, 128];

const EXPORTERS: readonly GpuExporter[] = [
  {
    vendor: "nvidia",
    gpuLabel: "gpu",
    productLabel: "modelName",
    series: {
      gpu_utilization_percent: {
        // MIG slices have no utilization; DCGM reports engine activity for both.
        expr: "DCGM_FI_DEV_GPU_UTIL or 100 * DCGM_FI_PROF_GR_ENGINE_ACTIVE",
        given: { DCGM_FI_DEV_GPU_UTIL: 40, DCGM_FI_PROF_GR_ENGINE_ACTIVE: 0.7 },
        gives: 40,
      },
      gpu_memory_utilization: {
        // The exporter has no total, and the list lacks reserved memory.
        expr: "100 * DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE)",
        given: { DCGM_FI_DEV_FB_USED: 60_000, DCGM_FI_DEV_FB_FREE: 20_000 },
        gives: 75,
      },
      gpu_temperature_celsius: { expr: "DCGM_FI_DEV_GPU_TEMP", given: { DCGM_FI_DEV_GPU_TEMP: 61 }, gives: 61 },
      gpu_throttled: {
        expr: `(${THROTTLE_BITS.map((bit) => `floor(DCGM_FI_DEV_CLOCKS_EVENT_REASONS / ${bit}) % 2`).join(" + ")}) > bool 0`,
        // Thermal slowdown by the driver, and the power cap.
        given: { DCGM_FI_DEV_CLOCKS_EVENT_REASONS: 36 },
        gives: 1,
      },
      gpu_last_hardware_xid: {
        // Another XID replaces it, often at once (NVIDIA/DCGM#235): read every sample.
        expr: `max_over_time((${byNumber(`DCGM_FI_DEV_XID_ERRORS > 0${NO_CAUSE_XIDS.map((xid) => ` != ${xid}`).join("")}`)})[1m:15s]) unless on (instance) ${COUNTED_XIDS}`,
        given: { DCGM_FI_DEV_XID_ERRORS: 79 },
        gives: 1,
        xid: 79,
      },
      gpu_hardware_xids: {
        // A GPU without XIDs has one series of 0 without a number.
        expr: `${COUNTED_XIDS}{xid!~"|${NO_CAUSE_XIDS.join("|")}"} > 0`,
        given: { [COUNTED_XIDS]: 2 },
        gives: 2,
        xid: 79,
      },
      "gpu_uncorrectable_memory_errors:increase1h": {
        // ECC counters are off by default: remapped rows show them. A failed remap stays until
        // replacement.
        expr: "increase(DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS[1h]) + DCGM_FI_DEV_ROW_REMAP_FAILURE",
        given: { DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS: 3, DCGM_FI_DEV_ROW_REMAP_FAILURE: 1 },
        gives: 1,
      },
      gpu_row_remap_pending: {
        expr: "DCGM_FI_DEV_ROW_REMAP_PENDING",
        given: { DCGM_FI_DEV_ROW_REMAP_PENDING: 1 },
        gives: 1,
      },
      "gpu_link_recoveries:increase1h": {
        expr: "increase(DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL[1h])",
        given: { DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL: 7 },
        gives: 0,
      },
    },
  },
  {
    vendor: "amd",
    gpuLabel: "gpu_id",
    productLabel: "card_model",
    series: {
      gpu_utilization_percent: { expr: "gpu_gfx_activity", given: { gpu_gfx_activity: 55 }, gives: 55 },
      gpu_memory_utilization: {
        expr: "100 * gpu_used_vram / gpu_total_vram",
        given: { gpu_used_vram: 98_304, gpu_total_vram: 196_608 },
        gives: 50,
      },
      gpu_temperature_celsius: {
        // MI3xx reports the junction, MI2xx the edge; Radeon neither.
        expr: "gpu_junction_temperature or gpu_edge_temperature",
        given: { gpu_edge_temperature: 58 },
        gives: 58,
      },
      "gpu_uncorrectable_memory_errors:increase1h": {
        expr: "increase(gpu_ecc_uncorrect_total[1h])",
        given: { gpu_ecc_uncorrect_total: 4 },
        gives: 0,
      },
    },
  },
];

/** The value becomes the label `xid`. */
function byNumber(expr: string): string {
  return `count_values without () ("xid", ${expr})`;
}

function normalized({ gpuLabel, productLabel }: GpuExporter, expr: string): string {
  const renames: readonly (readonly [to: string, from: string])[] = [
    // An existing exporter's monitor renames the workload's labels.
    ["namespace", "exported_namespace"],
    ["pod", "exported_pod"],
    ["gpu", gpuLabel],
    ["product", productLabel],
  ];
  const relabelled = renames
    .filter(([to, from]) => to !== from)
    .reduce((inner, [to, from]) => `label_replace(${inner}, "${to}", "$1", "${from}", "(.+)")`, expr);
  return `max by (node, instance, gpu, product, namespace, pod, xid) (${relabelled})`;
}

function recordings(exporter: GpuExporter): RecordingRule[] {
  const { vendor, gpuLabel, productLabel } = exporter;
  const where = 'instance="10.0.0.1:9400",node="gpu-1"';
  const exported = `${where},${gpuLabel}="0",${productLabel}="Model X",exported_namespace="model-chat",exported_pod="chat-0",namespace="gpu-metrics",pod="exporter"`;
  const recorded = `vendor="${vendor}",${where},gpu="0",product="Model X",namespace="model-chat",pod="chat-0"`;
  const of = (labels: string, xid?: number) => (xid === undefined ? labels : `${labels},xid="${xid}"`);
  return Object.entries(exporter.series).map(([record, { expr, given, gives, xid }]) => ({
    record,
    expr: normalized(exporter, expr),
    labels: { vendor },
    about: GPU_SERIES[record as keyof typeof GPU_SERIES],
    cases: {
      gives: {
        series: Object.fromEntries(
          Object.entries(given).map(([metric, value]) => [`${metric}{${of(exported, xid)}}`, `${value}x80`]),
        ),
        at: "70m",
        samples: { [`${record}{${of(recorded, xid)}}`]: gives },
      },
    },
  }));
}

/** Named as in the source documents (`gpu_utilization_percent`, …). */
export const gpuRecordings: readonly RecordingRule[] = EXPORTERS.flatMap(recordings);
