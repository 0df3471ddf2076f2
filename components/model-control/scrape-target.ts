import { MODEL_CONTROL } from "../../names/services";
import type { ScrapeTarget } from "../observability/targets";
import { MODEL_CONTROL_PORTS, modelControlPods } from "./names";

/** The API's metrics, on a port of their own. */
export const modelControlTarget: ScrapeTarget = {
  name: MODEL_CONTROL,
  namespace: modelControlPods.namespace,
  podLabels: modelControlPods.podLabels,
  port: MODEL_CONTROL_PORTS.metrics,
  path: "/metrics",
};
