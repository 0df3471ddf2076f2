import { selectorLabels } from "../../names/labels";
import { LOGGING_NAMESPACE, NODE_LOGS_NAMESPACE } from "../../names/namespaces";
import { serviceHost } from "../../names/service-host";
import type { PodSelection } from "../core/connections";
import { REQUEST_ID, type RequestSource } from "../observability/dashboards/links";

export const LOKI = "loki";

/** gRPC is internal. */
export const LOKI_PORTS = { http: 3100, grpc: 9095 } as const;

/** Excepted in names/pod-security.ts. */
export const LOG_COLLECTOR = "log-collector";

export const lokiPods: PodSelection = {
  namespace: LOGGING_NAMESPACE,
  podLabels: selectorLabels(LOKI, LOKI),
  serviceAccount: LOKI,
};

export const logCollectorPods: PodSelection = {
  namespace: NODE_LOGS_NAMESPACE,
  podLabels: selectorLabels(LOG_COLLECTOR, LOG_COLLECTOR),
  serviceAccount: LOG_COLLECTOR,
};

/** The platform is one tenant. */
export const LOKI_TENANT = { header: "X-Scope-OrgID", value: "platform" } as const;

export const LOKI_URL = `http://${serviceHost(LOKI, LOGGING_NAMESPACE)}:${LOKI_PORTS.http}`;

/** Lines with an id of a request or trace. */
export const LOGS_SOURCE: RequestSource = {
  kind: "logs",
  uid: "logs",
  type: "loki",
  query: { expr: `{k8s_namespace_name=~".+"} |= "${REQUEST_ID}"`, queryType: "range" },
};
