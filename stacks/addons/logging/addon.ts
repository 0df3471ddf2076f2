import { COLLECTOR_PORTS } from "../../../components/core/otel-collector";
import { loggingAlerts } from "../../../components/logging/alerts";
import { loggingConnections } from "../../../components/logging/connections";
import { LOGS_SOURCE, LOKI_PORTS, logCollectorPods, lokiPods } from "../../../components/logging/names";
import { controllerTarget } from "../../../components/observability/targets";
import { LOGGING_NAMESPACE, NODE_LOGS_NAMESPACE } from "../../../names/namespaces";
import { addon } from "../addon";
import { logAdvice, loggedPrompts } from "./advice";
import { loggingSection } from "./config";

/** Log lines of platform pods, in Loki. */
export const logging = addon({
  key: "logging",
  section: loggingSection,
  settings: (section) => section,
  problems: ({ plan }) => loggedPrompts(plan),
  advice: ({ settings, plan }) => logAdvice(settings, plan),
  volumes: ({ settings: { storageGiB } }) => ({ volumes: [{ name: "logs", sizeGiB: storageGiB, count: 1 }] }),
  targets: () => [
    controllerTarget("log-collectors", { ...logCollectorPods, metricsPort: COLLECTOR_PORTS.metrics }),
    controllerTarget("loki", { ...lokiPods, metricsPort: LOKI_PORTS.http }),
  ],
  requestSource: () => LOGS_SOURCE,
  namespaces: () => [LOGGING_NAMESPACE, NODE_LOGS_NAMESPACE],
  connections: loggingConnections,
  alerts: [loggingAlerts],
  load: () => import("./build"),
});
