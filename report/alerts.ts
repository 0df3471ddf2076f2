import type { AlertFact } from "../stacks/alert-facts";

/** `slack (critical, warning) through http://proxy.example.com:3128, heartbeat`. */
export function alertsText(alerts: readonly AlertFact[]): string {
  return alerts.length === 0
    ? "no receiver: visible in Grafana and Alertmanager only"
    : alerts.map(receiverText).join(", ");
}

function receiverText({ receiver, severities, proxyUrl }: AlertFact): string {
  return [
    receiver,
    ...(severities ? [`(${severities.join(", ")})`] : []),
    ...(proxyUrl === undefined ? [] : [`through ${proxyUrl}`]),
  ].join(" ");
}
