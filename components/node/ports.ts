/** Ports of an inference node, distinct from all engines' (test/components/node/ports.test.ts). */
export const NODE_PORTS = {
  /** `/health`, `/infer` and the engine's own inference path. */
  http: 9080,
  /** `/stats/prometheus` of the node's Envoy. */
  metrics: 9081,
  /** `/metrics` of the registration sidecar. */
  registration: 9082,
} as const;

/** Health path: 200 while the engine has its model. */
export const NODE_HEALTH_PATH = "/health";
/** Liveness path of Envoy on the metrics port, independent of the engine. */
export const NODE_ALIVE_PATH = "/ready";
/** Inference path for every engine. */
export const NODE_INFER_PATH = "/infer";
export const NODE_METRICS_PATH = "/stats/prometheus";
