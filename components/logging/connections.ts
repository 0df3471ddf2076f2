import { type Connection, connect } from "../core/connections";
import { STACK_PODS } from "../observability/names";
import { LOKI_PORTS, logCollectorPods, lokiPods } from "./names";

/** Who writes logs, and who reads them. */
export function loggingConnections(): Connection[] {
  return [
    connect({
      name: "log-collectors-to-loki",
      reason: "The collectors of the nodes send log lines",
      from: logCollectorPods,
      to: lokiPods,
      ports: [LOKI_PORTS.http],
    }),
    connect({
      name: "grafana-to-loki",
      reason: "Grafana shows logs",
      from: STACK_PODS.grafana,
      to: lokiPods,
      ports: [LOKI_PORTS.http],
    }),
  ];
}
