import { modelRouteName } from "../../../names/model-routes";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { CLIENT_ANSWERS, clientSeries, dueSeries, GATEWAY_ERRORS, ROUTE, routeSeries } from "./error-series";
import { CERTIFICATE_DAYS_LIMIT, GATEWAY_ERROR_LIMIT, ROUND_TRIP_LIMIT_MS } from "./limits";
import { KIND } from "./planned-kinds";
import type { AlertRule, InputSeries, RecordingRule, RuleSubject } from "./types";

const PROXY = 'namespace="gateway",pod="proxy-0"';

/** Envoy Gateway's names of route clusters. */
const ROUTES = 'envoy_cluster_name=~"(http|grpc)route/.*"';
const CHAT_ROUTE = "httproute/gateway/chat/rule/0";

const upstreamRtt: RecordingRule = {
  record: "envoy_upstream_rtt_ms",
  // Time to connect is the only round trip that Envoy measures. Envoys of engines and the mesh have
  // series of the same name.
  expr: `histogram_quantile(0.95, sum by (namespace, envoy_cluster_name, le) (rate(envoy_cluster_upstream_cx_connect_ms_bucket{${ROUTES}}[5m])))`,
  about: "95th percentile of the round trip from gateway to engine, in milliseconds, per route.",
  cases: {
    gives: {
      series: {
        'envoy_cluster_upstream_cx_connect_ms_bucket{namespace="model-chat",envoy_cluster_name="engine",le="+Inf"}':
          "0+60x20",
        ...connectSeries(CHAT_ROUTE, { "1": "0+0x20", "5": "0+60x20" }),
      },
      at: "15m",
      samples: { [`envoy_upstream_rtt_ms{namespace="gateway",envoy_cluster_name="${CHAT_ROUTE}"}`]: 4.8 },
    },
  },
};

const errorRate: AlertRule = {
  alert: "GatewayErrorRate",
  expr: `${GATEWAY_ERRORS} / ${CLIENT_ANSWERS} > ${GATEWAY_ERROR_LIMIT} and ${GATEWAY_ERRORS} * 300 >= 10`,
  for: "3m",
  severity: "critical",
  summary: "The gateway answers {{ $value | humanizePercentage }} of requests with an error",
  description:
    "More than 5 % of the answers of the gateway in {{ $labels.namespace }}, and at least 10 in 5 minutes, have been 5xx for 3 minutes: users see failures. Requests for models that sleep, and those of free consumers, do not count. The access log names the model and the reason (`response_flags`).",
  cases: {
    fires: {
      series: clientSeries({ "2": "0+90x30", "5": "0+10x30" }),
      at: "20m",
      labels: { namespace: GATEWAY_NAMESPACE },
    },
    // Failed probes of the own listener are no requests; a sleeping model is retried.
    quiet: {
      series: {
        ...clientSeries({ "2": "0+60x30", "5": "0+7x30" }),
        ...routeSeries("asleep", { "5": "0+6x30" }),
        ...dueSeries("asleep", "0x30"),
        [`envoy_http_downstream_rq_xx{namespace="${GATEWAY_NAMESPACE}",pod="proxy-0",envoy_http_conn_manager_prefix="eg-ready-http",envoy_response_code_class="5"}`]:
          "0+90x30",
      },
      at: "20m",
    },
  },
};

/** For cases: connections of one proxy by milliseconds. */
export function connectSeries(cluster: string, within: Readonly<Record<string, string>>): InputSeries {
  const of = `${PROXY},envoy_cluster_name="${cluster}"`;
  const all = Object.values(within).at(-1) ?? "";
  return Object.fromEntries(
    Object.entries({ ...within, "+Inf": all }).map(([le, samples]) => [
      `envoy_cluster_upstream_cx_connect_ms_bucket{${of},le="${le}"}`,
      samples,
    ]),
  );
}

const roundTripSlow: AlertRule = {
  alert: "GatewayRoundTripSlow",
  // Without new connections there is no sample. External servers may be far away.
  expr: `
    max by (namespace, envoy_cluster_name, model) (
      label_replace(envoy_upstream_rtt_ms, "model", "$1", "envoy_cluster_name", "${ROUTE}[a-z]+-([^/]+)/rule/[0-9]+")
    ) > ${ROUND_TRIP_LIMIT_MS} unless on (model) ${KIND.external}`,
  for: "10m",
  severity: "warning",
  summary: "Connections of the gateway to {{ $labels.envoy_cluster_name }} take {{ $value | humanize }} ms",
  description:
    "One in twenty new connections from the gateway in {{ $labels.namespace }} to {{ $labels.envoy_cluster_name }} took more than 5 ms for 10 minutes, and every answer waits for it. The network is slow or loses packets, nodes are far apart, or the engine accepts slowly.",
  cases: {
    fires: {
      series: connectSeries(CHAT_ROUTE, { "5": "0+30x40", "25": "0+60x40" }),
      at: "30m",
      labels: { namespace: "gateway", envoy_cluster_name: CHAT_ROUTE },
    },
    // One in thirty is slow; a route without new connections; a server on another continent.
    quiet: {
      series: {
        ...connectSeries(`${ROUTE}${modelRouteName("hosted")}/rule/0`, { "100": "0x40", "250": "0+60x40" }),
        [`${KIND.external}{model="hosted"}`]: "1x40",
        ...connectSeries(CHAT_ROUTE, { "5": "0+58x40", "25": "0+60x40" }),
        ...connectSeries("httproute/gateway/rank/rule/0", { "5": "7x40", "25": "90x40" }),
      },
      at: "30m",
    },
  },
};

const certificateExpiring: AlertRule = {
  alert: "GatewayCertificateExpiringSoon",
  // Except those renewed within five days: a week's certificate never has 14. Counts whole days.
  expr: `
    (min by (namespace) (envoy_server_days_until_first_cert_expiring) < ${CERTIFICATE_DAYS_LIMIT}) unless
      min by (namespace) (envoy_server_days_until_first_cert_expiring)
        > min by (namespace) (envoy_server_days_until_first_cert_expiring offset 5d) - 4`,
  for: "1h",
  severity: "critical",
  summary: "A certificate of the gateway expires in {{ $value }} days",
  description:
    "The proxies in {{ $labels.namespace }} use a certificate that expires in {{ $value }} days; then clients refuse the connection. Renew it at its issuer: this is the one that Envoy serves.",
  cases: {
    fires: {
      series: {
        [`envoy_server_days_until_first_cert_expiring{${PROXY}}`]: "11x1440 10x1440 9x1440 8x1440 7x1440 6x240",
      },
      at: "122h",
      labels: { namespace: "gateway" },
    },
    quiet: {
      series: {
        [`envoy_server_days_until_first_cert_expiring{${PROXY}}`]: "6x1440 5x1440 4x1440 3x1440 2x960 6x1440 5x960",
      },
      at: "122h",
    },
  },
};

const NOT_READY = "envoy_listener_server_ssl_socket_factory_downstream_context_secrets_not_ready";
const notReady = (pod: string, namespace: string = GATEWAY_NAMESPACE) =>
  `${NOT_READY}{namespace="${namespace}",pod="${pod}"}`;

const listenerWithoutCertificate: AlertRule = {
  alert: "GatewayListenerWithoutCertificate",
  // Connections that found no certificate, health checks of load balancers included.
  expr: `sum by (namespace, pod) (increase(${NOT_READY}{namespace="${GATEWAY_NAMESPACE}"}[5m])) > 0`,
  for: "1m",
  severity: "critical",
  summary: "The proxy {{ $labels.pod }} has no certificate for new connections",
  description:
    "The proxy {{ $labels.pod }} in {{ $labels.namespace }} is Ready, but its TLS listener has no certificate and refuses new connections. Open connections continue. Give the certificate another name, or replace the pod (envoyproxy/envoy#47309).",
  cases: {
    fires: {
      series: {
        [notReady("proxy-0")]: "0x10 0+4x20",
        [notReady("proxy-1")]: "0x30",
      },
      at: "15m",
      labels: { namespace: GATEWAY_NAMESPACE, pod: "proxy-0" },
    },
    // Without one for two minutes; an Envoy at an engine still is.
    quiet: {
      series: {
        [notReady("proxy-0")]: "0x10 4x1 8x30",
        [notReady("chat-0", "model-chat")]: "0+4x40",
      },
      at: "20m",
    },
  },
};

export const gateway: RuleSubject = {
  subject: "gateway",
  recording: [upstreamRtt],
  alerts: [errorRate, roundTripSlow, certificateExpiring, listenerWithoutCertificate],
};
