/** Names of Services, and of the controllers behind them, that other folders name too. */

/** The model control API: its Service, Deployment and service account. */
export const MODEL_CONTROL = "model-control";

/** The task queue of the model control API: Service and controller. */
export const QUEUE = "valkey";

/** Port of each Valkey. */
export const VALKEY_PORT = 6379;

/** The relay to models that come at run time: its Service, Deployment and service account. */
export const MODEL_RELAY = "model-relay";

/** Name of what scales a model by demand, in the model's namespace: of a ScaledObject, or of a HorizontalPodAutoscaler. */
export const AUTOSCALER_NAME = "replicas";
