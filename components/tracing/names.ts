import { selectorLabels } from "../../names/labels";
import { TRACING_NAMESPACE } from "../../names/namespaces";
import { serviceFqdn, serviceHost } from "../../names/service-host";
import { OTLP_PORTS, type TraceReceiver } from "../../names/trace-receiver";
import type { PodSelection } from "../core/connections";
import { REQUEST_ID, type RequestSource } from "../observability/dashboards/links";

/** Name of the collector's Deployment, Service and account. */
export const TRACE_COLLECTOR = "trace-collector";

export const JAEGER = "jaeger";

/** Ports of Jaeger 2: OTLP in, its page and API, its metrics, its health. */
export const JAEGER_PORTS = { otlp: OTLP_PORTS.grpcPort, query: 16_686, metrics: 8888, health: 13_133 } as const;

export const traceCollectorPods: PodSelection = {
  namespace: TRACING_NAMESPACE,
  podLabels: selectorLabels(TRACE_COLLECTOR, TRACE_COLLECTOR),
  serviceAccount: TRACE_COLLECTOR,
};

export const jaegerPods: PodSelection = {
  namespace: TRACING_NAMESPACE,
  podLabels: selectorLabels(JAEGER, JAEGER),
  serviceAccount: JAEGER,
};

/** Where every part of the platform sends its spans. */
export const TRACE_COLLECTOR_RECEIVER: TraceReceiver = {
  host: serviceFqdn(TRACE_COLLECTOR, TRACING_NAMESPACE),
  ...OTLP_PORTS,
};

/** Of Jaeger's page and API. */
export const JAEGER_URL = `http://${serviceHost(JAEGER, TRACING_NAMESPACE)}:${JAEGER_PORTS.query}`;

/** Traces in Grafana, by their ids. */
export const TRACES_SOURCE: RequestSource = {
  kind: "traces",
  uid: "traces",
  type: "jaeger",
  query: { query: REQUEST_ID },
};
