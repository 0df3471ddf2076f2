/**
 * The chart's list (4.8.2, metrics-configmap.yaml) and what it lacks: throttle reasons, XIDs, link
 * recoveries, pending row remaps. The chart takes a whole list or none.
 */
type CounterType = "gauge" | "counter";
type CounterRow = readonly [field: `DCGM_${"FI" | "EXP"}_${string}`, type: CounterType, help: string];

/** Names of go-dcgm (const_fields.go) and dcgm-exporter (internal/pkg/counters/const.go). */
export const GPU_COUNTERS: readonly CounterRow[] = [
  ["DCGM_FI_DEV_SM_CLOCK", "gauge", "Clock of the multiprocessors in MHz"],
  ["DCGM_FI_DEV_MEM_CLOCK", "gauge", "Clock of the memory in MHz"],
  ["DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "gauge", "Why clocks are lower than asked for as bits"],
  ["DCGM_FI_DEV_MEMORY_TEMP", "gauge", "Temperature of the memory in degrees Celsius"],
  ["DCGM_FI_DEV_GPU_TEMP", "gauge", "Temperature of the GPU in degrees Celsius"],
  ["DCGM_FI_DEV_POWER_USAGE", "gauge", "Power in watts"],
  ["DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "Energy since boot in millijoules"],
  ["DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "counter", "Retries on PCIe"],
  ["DCGM_FI_DEV_GPU_UTIL", "gauge", "Time in which a kernel ran in percent"],
  ["DCGM_FI_DEV_MEM_COPY_UTIL", "gauge", "Time in which memory was read or written in percent"],
  ["DCGM_FI_DEV_ENC_UTIL", "gauge", "Use of the encoder in percent"],
  ["DCGM_FI_DEV_DEC_UTIL", "gauge", "Use of the decoder in percent"],
  ["DCGM_FI_DEV_XID_ERRORS", "gauge", "Last XID"],
  ["DCGM_EXP_XID_ERRORS_COUNT", "gauge", "XIDs of the last 5 minutes by number"],
  ["DCGM_FI_DEV_FB_FREE", "gauge", "Free memory in MiB"],
  ["DCGM_FI_DEV_FB_USED", "gauge", "Used memory in MiB"],
  ["DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "counter", "Traffic of all lanes of NVLink"],
  ["DCGM_FI_DEV_VGPU_LICENSE_STATUS", "gauge", "Status of the vGPU licence"],
  ["DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "counter", "Rows remapped for uncorrectable errors"],
  ["DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "counter", "Rows remapped for correctable errors"],
  ["DCGM_FI_DEV_ROW_REMAP_FAILURE", "gauge", "Whether a row could not be remapped"],
  ["DCGM_FI_DEV_ROW_REMAP_PENDING", "gauge", "Whether a row is remapped at the next reset"],
  ["DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", "counter", "Links of NVLink that failed and recovered"],
  ["DCGM_FI_PROF_GR_ENGINE_ACTIVE", "gauge", "Share of time in which the engine was active"],
  ["DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gauge", "Share of cycles in which tensor cores were active"],
  ["DCGM_FI_PROF_DRAM_ACTIVE", "gauge", "Share of cycles in which the memory interface was active"],
  ["DCGM_FI_PROF_PCIE_TX_BYTES", "gauge", "Bytes sent over PCIe in a second"],
  ["DCGM_FI_PROF_PCIE_RX_BYTES", "gauge", "Bytes received over PCIe in a second"],
];

/** Lines of field, type, help. */
export function gpuCounterList(): string {
  return GPU_COUNTERS.map((row) => row.join(", ")).join("\n");
}
