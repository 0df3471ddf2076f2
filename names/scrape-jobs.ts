import { OBSERVABILITY_NAMESPACE } from "./namespaces";

/** Name of the monitor of one of the proxies' Prometheus endpoints: `envoy`, or `tokens` of the AI gateway's filter. */
export function gatewayTargetName(endpoint: string): string {
  return `gateway-${endpoint}`;
}

/** Label `job` of what Prometheus reads through a monitor: the Prometheus operator's own, after the monitor's namespace and name. */
export function jobOf(monitor: string): string {
  return `${OBSERVABILITY_NAMESPACE}/${monitor}`;
}
