import { COLLECTOR_PORTS } from "../../../components/core/otel-collector";
import { controllerTarget } from "../../../components/observability/targets";
import { tracingAlerts } from "../../../components/tracing/alerts";
import { tracingConnections } from "../../../components/tracing/connections";
import {
  JAEGER_PORTS,
  jaegerPods,
  TRACE_COLLECTOR_RECEIVER,
  TRACES_SOURCE,
  traceCollectorPods,
} from "../../../components/tracing/names";
import { TRACING_NAMESPACE } from "../../../names/namespaces";
import { addon } from "../addon";
import { reportsSpans } from "../traced-models";
import { traceAdvice } from "./advice";
import { tracingSecrets, tracingSection } from "./config";
import * as rules from "./rules";

/** Traces of requests: a collector, and Jaeger or an external server. */
export const tracing = addon({
  key: "tracing",
  section: tracingSection,
  secrets: tracingSecrets,
  settings: (section) => section,
  rules: [rules.endpointIsOutside, rules.tokenHasAnEndpoint],
  advice: ({ settings, plan }) => traceAdvice(settings, plan),
  volumes: ({ settings: { endpoint, storageGiB } }) => ({
    volumes: endpoint === undefined ? [{ name: "traces", sizeGiB: storageGiB, count: 1 }] : [],
  }),
  traceReceiver: () => ({ ...TRACE_COLLECTOR_RECEIVER, pods: traceCollectorPods }),
  targets: ({ settings: { endpoint } }) => [
    controllerTarget("trace-collector", { ...traceCollectorPods, metricsPort: COLLECTOR_PORTS.metrics }),
    ...(endpoint === undefined
      ? [controllerTarget("jaeger", { ...jaegerPods, metricsPort: JAEGER_PORTS.metrics })]
      : []),
  ],
  requestSource: ({ settings: { endpoint } }) => (endpoint === undefined ? TRACES_SOURCE : undefined),
  namespaces: () => [TRACING_NAMESPACE],
  connections: ({ settings: { endpoint }, plan, endpoints, cluster }) => {
    const reporting = plan.models.filter((model) => reportsSpans(model, TRACE_COLLECTOR_RECEIVER));
    const pods = endpoints.filter(({ model }) => reporting.some(({ name }) => name === model));
    return tracingConnections({
      models: Object.fromEntries(pods.map(({ model, namespace, podLabels }) => [model, { namespace, podLabels }])),
      outside: endpoint,
      networks: cluster,
    });
  },
  alerts: [tracingAlerts],
  load: () => import("./build"),
});
