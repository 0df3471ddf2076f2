import { deployment, object, podSpec } from "../subjects";
import { type Attack, inModel } from "./attack";

const MESH = "mesh-closed";
const security = (kind: string, spec: unknown, namespace = "model-chat") => [
  object("security.istio.io/v1", kind, { spec }, { namespace }),
];
const network = (kind: string, spec: unknown) => [inModel("networking.istio.io/v1", kind, { spec })];
const allows = (rule: object, namespace?: string) =>
  security("AuthorizationPolicy", { action: "ALLOW", rules: [rule] }, namespace);
const from = (source: object) => allows({ from: [{ source }], to: [{ operation: { ports: ["8000"] } }] });
const when = (key: string, condition: object) => allows({ when: [{ key, ...condition }] });
const patch = (applyTo: string, operation: string, type: string) => [
  inModel("networking.istio.io/v1alpha3", "EnvoyFilter", {
    spec: {
      configPatches: [
        {
          applyTo,
          patch: {
            operation,
            value: { typed_config: { "@type": `type.googleapis.com/envoy.extensions.${type}`, rules: {} } },
          },
        },
      ],
    },
  }),
];
const pod = (metadata: object) => [deployment(podSpec(), { ...metadata })];

/** Ways in which objects of Istio open a mesh. */
export const MESH_ATTACKS: readonly Attack[] = [
  ["sources that are none", MESH, allows({ from: [], to: [{ operation: { ports: ["8000"] } }] })],
  ["every identity of the mesh", MESH, from({ principals: ["cluster.local/*"] })],
  ["every account", MESH, from({ serviceAccounts: ["*"] })],
  ["every namespace but one", MESH, from({ notNamespaces: ["kube-system"] })],
  ["every identity but one", MESH, from({ notPrincipals: ["cluster.local/ns/a/sa/b"] })],
  ["namespaces that begin as all models' do", MESH, from({ namespaces: ["m*"] })],
  ["namespaces that end alike", MESH, from({ namespaces: ["*t"] })],
  ["the world in quarters", MESH, from({ ipBlocks: ["1.0.0.0/9", "1.128.0.0/9", "2.0.0.0/8"] })],
  ["every namespace, by a condition", MESH, when("source.namespace", { values: ["*"] })],
  ["a header that anybody can send", MESH, when("request.headers[x-internal]", { values: ["true"] })],
  ["a condition on who does not call", MESH, when("source.principal", { notValues: ["cluster.local/ns/a/sa/b"] })],
  ["every port of the gateway", MESH, allows({ to: [{ operation: { ports: ["*"] } }] }, "inference-gateway")],
  [
    "a mesh that is as Istio's default",
    MESH,
    security("PeerAuthentication", { mtls: { mode: "UNSET" } }, "istio-system"),
  ],
  [
    "a selector of every pod",
    MESH,
    security("PeerAuthentication", { selector: { matchLabels: {} }, portLevelMtls: { 8000: { mode: "PERMISSIVE" } } }),
  ],
  [
    "a pod of which nothing is captured",
    MESH,
    pod({ annotations: { "traffic.sidecar.istio.io/includeInboundPorts": "" } }),
  ],
  ["a pod past the node's proxy", MESH, pod({ annotations: { "ambient.istio.io/bypass-inbound-capture": "true" } })],
  [
    "a model led outside",
    MESH,
    network("VirtualService", { hosts: ["chat"], http: [{ route: [{ destination: { host: "evil.example.com" } }] }] }),
  ],
  ["any host from a pod", MESH, network("Sidecar", { outboundTrafficPolicy: { mode: "ALLOW_ANY" } })],
  [
    "a listener past the mesh",
    MESH,
    network("Sidecar", { ingress: [{ port: { number: 8000 }, captureMode: "NONE" }] }),
  ],
  ["hosts of a whole country", MESH, network("ServiceEntry", { hosts: ["*.com"] })],
  ["a model's own name elsewhere", MESH, network("ServiceEntry", { hosts: ["chat.model-chat.svc.cluster.local"] })],
  ["a short name elsewhere", MESH, network("ServiceEntry", { hosts: ["minio"] })],
  ["code in a proxy", MESH, patch("HTTP_FILTER", "INSERT_FIRST", "filters.http.lua.v3.Lua")],
  ["what asks, merged away", MESH, patch("HTTP_FILTER", "MERGE", "filters.http.rbac.v3.RBAC")],
  ["a listener more", MESH, patch("LISTENER", "ADD", "filters.network.tcp_proxy.v3.TcpProxy")],
  [
    "requests sent to another program",
    MESH,
    patch("HTTP_FILTER", "INSERT_BEFORE", "filters.http.ext_proc.v3.ExternalProcessor"),
  ],
  [
    "filters of a connection replaced by a merge",
    MESH,
    patch("NETWORK_FILTER", "MERGE", "filters.network.http_connection_manager.v3.HttpConnectionManager"),
  ],
  [
    "no TLS at one port",
    MESH,
    network("DestinationRule", { trafficPolicy: { portLevelSettings: [{ tls: { mode: "DISABLE" } }] } }),
  ],
  [
    "no TLS for a subset",
    MESH,
    network("DestinationRule", { subsets: [{ trafficPolicy: { tls: { mode: "DISABLE" } } }] }),
  ],
  [
    "a program in proxies",
    MESH,
    [inModel("extensions.istio.io/v1alpha1", "WasmPlugin", { spec: { url: "oci://a/b:1.0.0" } })],
  ],
  ["copies of prompts", MESH, network("VirtualService", { http: [{ mirror: { host: "spy" } }] })],
  [
    "copies of prompts, in a list",
    MESH,
    network("VirtualService", { http: [{ mirrors: [{ destination: { host: "spy" } }] }] }),
  ],
  ["any server, by TLS", MESH, network("DestinationRule", { trafficPolicy: { tls: { mode: "SIMPLE" } } })],
  [
    "any server of a port, by TLS with a certificate",
    MESH,
    network("DestinationRule", { trafficPolicy: { portLevelSettings: [{ tls: { mode: "MUTUAL" } }] } }),
  ],
  [
    "a namespace that leaves the mesh",
    "mesh-members",
    [
      object("core/v1", "Namespace", {}, { name: "model-chat", labels: { "istio.io/dataplane-mode": "none" } }),
      object("core/v1", "Namespace", {}, { name: "a", labels: { "istio.io/dataplane-mode": "ambient" } }),
    ],
  ],
  ["a pod that leaves the mesh", MESH, pod({ labels: { "sidecar.istio.io/inject": "false" } })],
  ["a pod that leaves the ambient mesh", MESH, pod({ labels: { "istio.io/dataplane-mode": "none" } })],
  [
    "a port that leaves the mesh",
    MESH,
    pod({ annotations: { "traffic.sidecar.istio.io/excludeInboundPorts": "8000" } }),
  ],
];
