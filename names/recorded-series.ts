/** Recorded series used outside rules: by autoscalers and external metrics adapters. */

/** 1 per model namespace, by `namespace` and `model`: identifies the cluster. */
export const MODEL_NAMESPACE_SERIES = "inference:model_namespace:info";

/** Ready replicas, by `namespace` and `model`. */
export const READY_REPLICAS_SERIES = "inference:ready_replicas:count";

/**
 * Scaling signals, one series per model by `namespace` and `model`: milliseconds, percent, percent,
 * tasks. Must be one, as metrics adapters and autoscalers sum series.
 */
export const SIGNAL_SERIES = {
  latency: "inference_p99_latency_ms",
  gpuMemory: "inference_gpu_memory_utilization",
  gpuUtilization: "inference_gpu_utilization_percent",
  cpuQueue: "cpu_queue_length",
} as const;

/** Requests in two minutes to a sleeping model without a replica, by `namespace` and `model`. */
export const UNMET_REQUESTS_SERIES = "inference:unmet_requests:increase2m";

/** Requests that wait or are answered, as the gateway counts them, by `namespace` and `model`. */
export const UNDER_WAY_SERIES = "inference:requests_under_way:count";
