import type { AlertFact } from "../stacks/alert-facts";

/** `slack (critical, warning), heartbeat`. */
export function alertsText(alerts: readonly AlertFact[]): string {
  return alerts.length === 0
    ? "no receiver: visible in Grafana and Alertmanager only"
    : alerts
        .map(({ receiver, severities }) => (severities ? `${receiver} (${severities.join(", ")})` : receiver))
        .join(", ");
}
