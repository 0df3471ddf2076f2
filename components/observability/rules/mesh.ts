/** Rules of the service mesh, by series of Istio 1.30.3. */
import { ISTIO_NAMESPACE } from "../../../names/namespaces";
import { modelNamespaceSeries, ofModels } from "./models";
import type { AlertRule, RecordingRule, RuleSubject } from "./types";

/** Proxies at the destination: waypoint or sidecar. */
const INBOUND = 'reporter=~"waypoint|destination"';
const REQUESTS = "istio_requests_total";
const OPENED = "istio_tcp_connections_opened_total";
const FAILED = "istio_tcp_connections_failed_total";

const chatProxy = (labels: string): string =>
  `{namespace="model-chat",pod="waypoint-0",reporter="waypoint",source_workload_namespace="inference-gateway",source_workload="proxy",${labels}}`;
const ztunnel = (labels: string): string =>
  `{namespace="${ISTIO_NAMESPACE}",pod="ztunnel-0",reporter="destination",source_workload_namespace="inference-gateway",source_workload="proxy",destination_workload_namespace="model-chat",${labels}}`;

const p99Latency: RecordingRule = {
  record: "mesh_p99_latency_ms",
  expr: `histogram_quantile(0.99, sum by (namespace, le) (rate(istio_request_duration_milliseconds_bucket{${INBOUND}}[5m])))`,
  about: "99th percentile of a request's time as the mesh's proxy in front of a namespace saw it, in milliseconds.",
  cases: {
    gives: {
      series: {
        [`istio_request_duration_milliseconds_bucket${chatProxy('le="1000"')}`]: "0+0x20",
        [`istio_request_duration_milliseconds_bucket${chatProxy('le="2500"')}`]: "0+60x20",
        [`istio_request_duration_milliseconds_bucket${chatProxy('le="+Inf"')}`]: "0+60x20",
        'istio_request_duration_milliseconds_bucket{namespace="model-chat",reporter="source",le="1"}': "0+900x20",
        'istio_request_duration_milliseconds_bucket{namespace="model-chat",reporter="source",le="+Inf"}': "0+900x20",
      },
      at: "15m",
      samples: { 'mesh_p99_latency_ms{namespace="model-chat"}': 2485 },
    },
  },
};

/** Agents count connections, sidecars requests. */
const share = (series: string): string => {
  const all = `sum by (destination_workload_namespace) (rate(${series}{reporter="destination"}[5m]))`;
  const mutual = `sum by (destination_workload_namespace) (rate(${series}{reporter="destination",connection_security_policy="mutual_tls"}[5m]))`;
  return `(${mutual} or 0 * ${all}) / (${all} > 0)`;
};

const mutualTls: RecordingRule = {
  record: "mesh:mutual_tls:ratio",
  expr: `${share(OPENED)} or ${share(REQUESTS)}`,
  about:
    "Share of what reaches a namespace by mutual TLS: of connections in ambient mode, of requests in sidecar mode.",
  cases: {
    gives: {
      series: {
        [`${OPENED}${ztunnel('connection_security_policy="mutual_tls"')}`]: "0+75x20",
        [`${OPENED}${ztunnel('connection_security_policy="unknown"')}`]: "0+25x20",
        [`${REQUESTS}{reporter="destination",destination_workload_namespace="model-rank",connection_security_policy="none"}`]:
          "0+25x20",
      },
      at: "15m",
      samples: {
        'mesh:mutual_tls:ratio{destination_workload_namespace="model-chat"}': 0.75,
        'mesh:mutual_tls:ratio{destination_workload_namespace="model-rank"}': 0,
      },
    },
  },
};

const ISTIOD = `namespace="${ISTIO_NAMESPACE}",deployment="istiod"`;

const controlPlaneDown: AlertRule = {
  alert: "MeshControlPlaneDown",
  expr: `max by (namespace, deployment) (kube_deployment_status_replicas_available{${ISTIOD}}) == 0`,
  for: "5m",
  severity: "critical",
  summary: "The mesh has no control plane",
  description:
    "{{ $labels.deployment }} in {{ $labels.namespace }} has no available pod. Open connections continue. New pods get neither certificate nor configuration: a replica that restarts does not serve, and certificates expire after a day.",
  cases: {
    fires: {
      series: { [`kube_deployment_status_replicas_available{${ISTIOD}}`]: "2x5 0x20" },
      at: "20m",
      labels: { namespace: ISTIO_NAMESPACE, deployment: "istiod" },
    },
    quiet: { series: { [`kube_deployment_status_replicas_available{${ISTIOD}}`]: "2x5 0x2 1x20" }, at: "20m" },
  },
};

const AVAILABLE = (daemonset: string): string =>
  `kube_daemonset_status_number_available{namespace="${ISTIO_NAMESPACE}",daemonset="${daemonset}"}`;
const NODES = {
  'kube_node_status_condition{node="a",condition="Ready",status="true"}': "1x30",
  'kube_node_status_condition{node="b",condition="Ready",status="true"}': "1x30",
};

const agentMissing: AlertRule = {
  alert: "MeshAgentMissing",
  expr: `
    count(max by (node) (kube_node_status_condition{condition="Ready",status="true"}) == 1)
      - on () group_right ()
        max by (namespace, daemonset) (kube_daemonset_status_number_available{namespace="${ISTIO_NAMESPACE}",daemonset=~"ztunnel|istio-cni-node"})
      > 0`,
  for: "10m",
  severity: "critical",
  summary: "{{ $value }} nodes run no {{ $labels.daemonset }}",
  description:
    "Ready nodes lack {{ $labels.daemonset }} of {{ $labels.namespace }}. Without ztunnel, pods on such a node have no connections; without istio-cni-node, no pod of the mesh starts there.",
  cases: {
    fires: {
      series: { ...NODES, [AVAILABLE("ztunnel")]: "1x30", [AVAILABLE("istio-cni-node")]: "2x30" },
      at: "20m",
      labels: { namespace: ISTIO_NAMESPACE, daemonset: "ztunnel" },
    },
    quiet: {
      series: {
        ...NODES,
        'kube_node_status_condition{node="c",condition="Ready",status="true"}': "0x30",
        [AVAILABLE("ztunnel")]: "2x30",
        [AVAILABLE("istio-cni-node")]: "2x30",
      },
      at: "20m",
    },
  },
};

const REJECTS = "pilot_total_xds_rejects";

const configurationRejected: AlertRule = {
  alert: "MeshConfigurationRejected",
  // istiod asks a proxy again only on changes: an hour, and new series at once.
  expr: `
    sum by (type) (increase(${REJECTS}[1h])) > 0
    or (sum by (type) (${REJECTS}) unless sum by (type) (${REJECTS} offset 1h)) > 0`,
  for: "1m",
  severity: "warning",
  summary: "Proxies of the mesh refuse configuration of kind {{ $labels.type }}",
  description:
    "In the last hour proxies refused configuration from istiod ({{ $labels.type }}) and kept the previous one. A change of rules, limits or endpoints is not in force. istiod's log names the proxy and the field.",
  cases: {
    fires: {
      series: { [`${REJECTS}{pod="istiod-0",type="lds"}`]: "_x40 2x20" },
      at: "45m",
      labels: { type: "lds" },
    },
    quiet: { series: { [`${REJECTS}{pod="istiod-0",type="lds"}`]: "2x200" }, at: "150m" },
  },
};

const ROOT = `citadel_server_root_cert_expiry_timestamp{namespace="${ISTIO_NAMESPACE}",pod="istiod-0"}`;

const rootExpiring: AlertRule = {
  alert: "MeshRootCertificateExpiringSoon",
  expr: "min by (namespace) (citadel_server_root_cert_expiry_timestamp) - time() < 30 * 86400",
  for: "1h",
  severity: "critical",
  summary: "The mesh's root certificate expires in {{ $value | humanizeDuration }}",
  description:
    "All certificates of the mesh in {{ $labels.namespace }} expire with their root: then pods cannot connect. Every proxy has to trust a new root before the old one expires.",
  cases: {
    fires: { series: { [ROOT]: "604800x120" }, at: "90m", labels: { namespace: ISTIO_NAMESPACE } },
    quiet: { series: { [ROOT]: "5184000x120" }, at: "90m" },
  },
};

const certificatesRefused: AlertRule = {
  alert: "MeshCertificatesRefused",
  expr: `
    sum by (namespace) (
      rate(citadel_server_csr_sign_err_count[10m]) or rate(citadel_server_authentication_failure_count[10m])
    ) > 0`,
  for: "10m",
  severity: "warning",
  summary: "istiod refuses certificates",
  description:
    "istiod in {{ $labels.namespace }} has refused to sign certificates, or to authenticate pods, for 10 minutes. Certificates last a day: then pods without a new one lose their connections. New pods do not start.",
  cases: {
    fires: {
      series: {
        [`citadel_server_csr_sign_err_count{namespace="${ISTIO_NAMESPACE}",error="CSR_ERROR"}`]: "0+2x40",
        [`citadel_server_authentication_failure_count{namespace="${ISTIO_NAMESPACE}"}`]: "0x40",
      },
      at: "30m",
      labels: { namespace: ISTIO_NAMESPACE },
    },
    quiet: {
      series: { [`citadel_server_authentication_failure_count{namespace="${ISTIO_NAMESPACE}"}`]: "0x5 3x35" },
      at: "30m",
    },
  },
};

const connectionsDenied: AlertRule = {
  alert: "MeshConnectionsDenied",
  expr: `
    sum by (source_workload_namespace, source_workload, destination_workload_namespace)
      (increase(${FAILED}{reporter="destination",response_flags="DENY"}[10m])) > 10`,
  for: "5m",
  severity: "warning",
  summary:
    "{{ $labels.source_workload_namespace }}/{{ $labels.source_workload }} is denied access to {{ $labels.destination_workload_namespace }}",
  description:
    "No AuthorizationPolicy allowed {{ $value | humanize }} connections in 10 minutes from {{ $labels.source_workload }} to {{ $labels.destination_workload_namespace }}. A workload tries ports that are not open to it, or a connection is not declared.",
  cases: {
    fires: {
      series: { [`${FAILED}${ztunnel('response_flags="DENY"')}`]: "0+5x40" },
      at: "30m",
      labels: {
        source_workload_namespace: "inference-gateway",
        source_workload: "proxy",
        destination_workload_namespace: "model-chat",
      },
    },
    quiet: {
      series: {
        [`${FAILED}${ztunnel('response_flags="DENY"')}`]: "0x10 4x30",
        [`${FAILED}${ztunnel('response_flags="CONNECT"')}`]: "0+50x40",
      },
      at: "30m",
    },
  },
};

const connectionsFailing: AlertRule = {
  alert: "MeshConnectionsFailing",
  // CONNECT is excluded: a starting server refuses connections with any mesh.
  expr: `
    sum by (destination_workload_namespace, response_flags)
      (increase(${FAILED}{response_flags=~"TLS_FAILURE|H2_HANDSHAKE_FAILURE|NETWORK_POLICY|IDENTITY_ERROR"}[10m])) > 10`,
  for: "5m",
  severity: "warning",
  summary: "Tunnels of the mesh to {{ $labels.destination_workload_namespace }} fail: {{ $labels.response_flags }}",
  description:
    "{{ $value | humanize }} connections in 10 minutes to {{ $labels.destination_workload_namespace }} failed between the nodes' agents ({{ $labels.response_flags }}); their requests fail. NETWORK_POLICY: port 15008 is closed at one end. Other flags: check the certificates.",
  cases: {
    fires: {
      series: { [`${FAILED}${ztunnel('response_flags="NETWORK_POLICY"')}`]: "0+5x40" },
      at: "30m",
      labels: { destination_workload_namespace: "model-chat", response_flags: "NETWORK_POLICY" },
    },
    quiet: {
      series: {
        [`${FAILED}${ztunnel('response_flags="NETWORK_POLICY"')}`]: "0x10 4x30",
        [`${FAILED}${ztunnel('response_flags="CONNECT"')}`]: "0+50x40",
      },
      at: "30m",
    },
  },
};

/** Node agents only: sidecars also count Prometheus, which is outside of the mesh then. */
const plaintext = `sum by (destination_workload_namespace) (increase(${OPENED}{namespace="${ISTIO_NAMESPACE}",reporter="destination",connection_security_policy!="mutual_tls"}[15m]))`;

const plaintextToModel: AlertRule = {
  alert: "MeshPlaintextToModel",
  expr: `${ofModels(`label_replace(${plaintext}, "namespace", "$1", "destination_workload_namespace", "(.+)")`)} > 0`,
  for: "5m",
  severity: "warning",
  summary: "Pods of model {{ $labels.model }} accept unencrypted connections",
  description:
    "{{ $value | humanize }} connections in 15 minutes reached pods in {{ $labels.namespace }} without mutual TLS. No client outside of the mesh has a declared connection there: a PeerAuthentication was changed, or a client left the mesh.",
  cases: {
    fires: {
      series: {
        ...modelNamespaceSeries("chat", "1x60"),
        [`${OPENED}${ztunnel('connection_security_policy="unknown"')}`]: "0+2x60",
      },
      at: "40m",
      labels: { namespace: "model-chat", destination_workload_namespace: "model-chat", model: "chat" },
    },
    quiet: {
      series: {
        ...modelNamespaceSeries("chat", "1x60"),
        [`${OPENED}${ztunnel('connection_security_policy="mutual_tls"')}`]: "0+50x60",
        [`${OPENED}{namespace="${ISTIO_NAMESPACE}",reporter="destination",destination_workload_namespace="inference-gateway",connection_security_policy="unknown"}`]:
          "0+50x60",
      },
      at: "40m",
    },
  },
};

const requestsLimited: AlertRule = {
  alert: "MeshRequestsLimited",
  expr: `sum by (namespace) (rate(${REQUESTS}{${INBOUND},response_code="429",response_flags="RL"}[5m])) > 1`,
  for: "5m",
  severity: "warning",
  summary: "The mesh refuses {{ $value | humanize }} requests a second to {{ $labels.namespace }}",
  description:
    "A proxy of the mesh in front of {{ $labels.namespace }} enforces mesh.requestsPerSecond: further requests of any client get 429. Tenant quotas and gateway limits are separate.",
  cases: {
    fires: {
      series: { [`${REQUESTS}${chatProxy('response_code="429",response_flags="RL"')}`]: "0+600x30" },
      at: "20m",
      labels: { namespace: "model-chat" },
    },
    // The engine's 429 has no proxy flag.
    quiet: {
      series: {
        [`${REQUESTS}${chatProxy('response_code="429",response_flags="RL"')}`]: "0+12x30",
        [`${REQUESTS}${chatProxy('response_code="429",response_flags="-"')}`]: "0+600x30",
      },
      at: "20m",
    },
  },
};

const requestsRefused: AlertRule = {
  alert: "MeshRequestsRefused",
  expr: `
    sum by (namespace, source_workload_namespace, source_workload)
      (increase(${REQUESTS}{${INBOUND},response_code=~"401|403"}[10m])) > 10`,
  for: "5m",
  severity: "warning",
  summary:
    "Requests of {{ $labels.source_workload_namespace }}/{{ $labels.source_workload }} to {{ $labels.namespace }} are refused",
  description:
    "{{ $value | humanize }} requests in 10 minutes got 401 or 403 in front of {{ $labels.namespace }}: only the gateway needs no token there. A workload bypasses the gateway, or its token is not accepted.",
  cases: {
    fires: {
      series: { [`${REQUESTS}${chatProxy('response_code="403",response_flags="-"')}`]: "0+5x40" },
      at: "30m",
      labels: {
        namespace: "model-chat",
        source_workload_namespace: "inference-gateway",
        source_workload: "proxy",
      },
    },
    quiet: {
      series: {
        [`${REQUESTS}${chatProxy('response_code="403",response_flags="-"')}`]: "0x10 4x30",
        [`${REQUESTS}${chatProxy('response_code="404",response_flags="-"')}`]: "0+50x40",
      },
      at: "30m",
    },
  },
};

const proxyErrors: AlertRule = {
  alert: "MeshProxyErrors",
  // Answers of the proxy itself: no endpoint, or a broken connection.
  expr: `
    sum by (namespace) (rate(${REQUESTS}{${INBOUND},response_code=~"5..",response_flags=~".*(UH|UF|UC|UO|NR|NC).*"}[5m]))
      / sum by (namespace) (rate(${REQUESTS}{${INBOUND}}[5m]))
      > 0.05`,
  for: "5m",
  severity: "critical",
  summary: "The mesh fails {{ $value | humanizePercentage }} of the requests to {{ $labels.namespace }}",
  description:
    "The mesh's proxy in front of {{ $labels.namespace }} has answered more than 5 % of requests with 5xx for 5 minutes: it reaches no server. Users see failures.",
  cases: {
    fires: {
      series: {
        [`${REQUESTS}${chatProxy('response_code="200",response_flags="-"')}`]: "0+90x30",
        [`${REQUESTS}${chatProxy('response_code="503",response_flags="UF,URX"')}`]: "0+10x30",
      },
      at: "20m",
      labels: { namespace: "model-chat" },
    },
    quiet: {
      series: {
        [`${REQUESTS}${chatProxy('response_code="200",response_flags="-"')}`]: "0+90x30",
        [`${REQUESTS}${chatProxy('response_code="500",response_flags="-"')}`]: "0+10x30",
      },
      at: "20m",
    },
  },
};

export const mesh: RuleSubject = {
  subject: "mesh",
  recording: [p99Latency, mutualTls],
  alerts: [
    controlPlaneDown,
    agentMissing,
    configurationRejected,
    rootExpiring,
    certificatesRefused,
    connectionsDenied,
    connectionsFailing,
    plaintextToModel,
    requestsLimited,
    requestsRefused,
    proxyErrors,
  ],
};
