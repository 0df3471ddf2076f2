/** Ports of an inference node, which no engine listens on (test/components/node/ports.test.ts). */
export const NODE_PORTS = {
  /** `/health`, `/infer`, and the engine's own path of inference. */
  http: 9080,
  /** `/stats/prometheus` of the node's Envoy. */
  metrics: 9081,
  /** `/metrics` of what registers the node. */
  registration: 9082,
} as const;

/** Path on which a node says how it is: 200 while the engine beside it has its model. */
export const NODE_HEALTH_PATH = "/health";
/** Path on the metrics port that answers 200 as long as the node's Envoy itself lives, whatever becomes of the engine. */
export const NODE_ALIVE_PATH = "/ready";
/** Path of inference, whatever the engine. */
export const NODE_INFER_PATH = "/infer";
/** Path of the series of the node's Envoy, on the port of its metrics. */
export const NODE_METRICS_PATH = "/stats/prometheus";
