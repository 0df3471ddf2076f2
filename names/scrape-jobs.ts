import { OBSERVABILITY_NAMESPACE } from "./namespaces";

/** Monitor of a proxy endpoint: `envoy`, or `tokens` of the AI gateway's filter. */
export function gatewayTargetName(endpoint: string): string {
  return `gateway-${endpoint}`;
}

/** Label `job` that the Prometheus operator derives from a monitor. */
export function jobOf(monitor: string): string {
  return `${OBSERVABILITY_NAMESPACE}/${monitor}`;
}
