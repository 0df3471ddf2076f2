import type { MetricMeaning } from "../engine";

const SECONDS_OF_TOKENS = [
  ...[0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75],
  ...[1, 2.5, 5, 7.5, 10, 20, 40, 80],
];

/**
 * Histogram bucket bounds of vLLM, seconds (0.33.0, vllm/v1/metrics/loggers.py). Ray Serve exports
 * the same.
 */
export const VLLM_BOUNDS: Readonly<Partial<Record<MetricMeaning, readonly number[]>>> = {
  timeToFirstTokenSeconds: [
    ...[0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75],
    ...[1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560],
  ],
  meanTokenSeconds: SECONDS_OF_TOKENS,
};
