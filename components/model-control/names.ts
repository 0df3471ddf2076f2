import { selectorLabels } from "../../names/labels";
import { MODEL_CONTROL_NAMESPACE } from "../../names/namespaces";
import { MODEL_CONTROL, MODEL_RELAY, QUEUE } from "../../names/services";
import type { PodSelection } from "../core/connections";

export const MODEL_CONTROL_PORTS = { http: 1994, metrics: 9464 } as const;

export const modelControlPods: PodSelection & { readonly serviceAccount: string } = {
  namespace: MODEL_CONTROL_NAMESPACE,
  podLabels: selectorLabels(MODEL_CONTROL, MODEL_CONTROL),
  serviceAccount: MODEL_CONTROL,
};

/** Ports of a relay pod: gateway requests; probes and Prometheus. */
export const MODEL_RELAY_PORTS = { http: 1995, admin: 9464 } as const;

/** Relay pods: they reach only engines, not the queue or Kubernetes. */
export const modelRelayPods: PodSelection = {
  namespace: MODEL_CONTROL_NAMESPACE,
  podLabels: selectorLabels(MODEL_RELAY, MODEL_RELAY),
  serviceAccount: MODEL_RELAY,
};

export const queuePods: PodSelection = {
  namespace: MODEL_CONTROL_NAMESPACE,
  podLabels: selectorLabels(QUEUE, QUEUE),
  serviceAccount: QUEUE,
};

export const WARM_MODELS = "warm-models";

/** The Job's pods. */
export const warmModelsPods: PodSelection = {
  namespace: MODEL_CONTROL_NAMESPACE,
  podLabels: selectorLabels(WARM_MODELS, WARM_MODELS),
};
