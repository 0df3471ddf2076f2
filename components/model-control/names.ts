import { selectorLabels } from "../../names/labels";
import { MODEL_CONTROL_NAMESPACE } from "../../names/namespaces";
import { MODEL_CONTROL, QUEUE } from "../../names/services";
import type { PodSelection } from "../core/connections";

/** Ports of an API pod: requests, and Prometheus. */
export const MODEL_CONTROL_PORTS = { http: 1994, metrics: 9464 } as const;

/** The API's pods, for other namespaces' NetworkPolicies and roles. */
export const modelControlPods: PodSelection & { readonly serviceAccount: string } = {
  namespace: MODEL_CONTROL_NAMESPACE,
  podLabels: selectorLabels(MODEL_CONTROL, MODEL_CONTROL),
  serviceAccount: MODEL_CONTROL,
};

export const QUEUE_PORT = 6379;

export const queuePods: PodSelection = {
  namespace: MODEL_CONTROL_NAMESPACE,
  podLabels: selectorLabels(QUEUE, QUEUE),
  serviceAccount: QUEUE,
};

/** Name of the Job that fetches the warm models. */
export const WARM_MODELS = "warm-models";

/** The Job's pods. */
export const warmModelsPods: PodSelection = {
  namespace: MODEL_CONTROL_NAMESPACE,
  podLabels: selectorLabels(WARM_MODELS, WARM_MODELS),
};
