/** Series that our rules record, and that others than rules read by name: autoscalers, and adapters of external metrics. */

/** 1 for each namespace of a model, by `namespace` and `model`: Prometheus knows the cluster. */
export const MODEL_NAMESPACE_SERIES = "inference:model_namespace:info";

/** Replicas of a model that answer, by `namespace` and `model`. */
export const READY_REPLICAS_SERIES = "inference:ready_replicas:count";

/**
 * What a model's replicas are scaled by, one series for each model by `namespace` and `model`: milliseconds, percent, percent,
 * tasks. One, because adapters of external metrics, and autoscalers after them, add up what they find.
 */
export const SIGNAL_SERIES = {
  latency: "inference_p99_latency_ms",
  gpuMemory: "inference_gpu_memory_utilization",
  gpuUtilization: "inference_gpu_utilization_percent",
  cpuQueue: "cpu_queue_length",
} as const;

/** Requests of a model that may sleep which found no replica, in the last two minutes, by `namespace` and `model`. */
export const UNMET_REQUESTS_SERIES = "inference:unmet_requests:increase2m";
