import type { AlertFact } from "../stacks/alert-facts";
import type { PlanResult } from "./result";

/** `slack (critical, warning) through http://proxy.example.com:3128, heartbeat`. */
export function alertsText({ alerts, prometheus }: Pick<PlanResult, "alerts" | "prometheus">): string {
  if (prometheus === "present") {
    return "rules for the Prometheus that is there; its Alertmanager sends them (docs/existing-prometheus.md)";
  }
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
