/** Service, Deployment and service account of the model control API. */
export const MODEL_CONTROL = "model-control";

/** Service and controller of the model control API's queue. */
export const QUEUE = "valkey";

export const VALKEY_PORT = 6379;

/** Service, Deployment and service account of the relay for run-time models. */
export const MODEL_RELAY = "model-relay";

/** ScaledObject or HorizontalPodAutoscaler in a model's namespace. */
export const AUTOSCALER_NAME = "replicas";
