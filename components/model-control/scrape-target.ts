import { MODEL_CONTROL, MODEL_RELAY } from "../../names/services";
import type { ScrapeTarget } from "../observability/targets";
import { MODEL_CONTROL_PORTS, MODEL_RELAY_PORTS, modelControlPods, modelRelayPods } from "./names";

export const modelControlTarget: ScrapeTarget = {
  name: MODEL_CONTROL,
  namespace: modelControlPods.namespace,
  podLabels: modelControlPods.podLabels,
  port: MODEL_CONTROL_PORTS.metrics,
  path: "/metrics",
};

export const modelRelayTarget: ScrapeTarget = {
  name: MODEL_RELAY,
  namespace: modelRelayPods.namespace,
  podLabels: modelRelayPods.podLabels,
  port: MODEL_RELAY_PORTS.admin,
  path: "/metrics",
};
