import { meshClosed } from "../../../policies/rules/mesh-closed";
import { deployment, object, podSpec, policyCases, release, UNKNOWN } from "../cases";

const security = (kind: string, spec: unknown, namespace = "model-chat") => [
  object("security.istio.io/v1", kind, { spec }, { namespace }),
];
const peers = (spec: unknown) => security("PeerAuthentication", spec);
const allows = (rules: unknown, namespace?: string) =>
  security("AuthorizationPolicy", { action: "ALLOW", rules }, namespace);
const selector = { matchLabels: { app: "a" } };
const to = (...ports: string[]) => [{ operation: { ports } }];
const from = (source: object) => [{ source }];
const someone = "spec.rules[0] is";
const patched = "spec.configPatches[0] is a patch of proxies";
const filter = (applyTo: unknown, operation: string, type: string, config: object = {}) => [
  object("networking.istio.io/v1alpha3", "EnvoyFilter", {
    spec: {
      configPatches: [
        {
          applyTo,
          patch: {
            operation,
            value: { typed_config: { "@type": `type.googleapis.com/envoy.extensions.${type}`, ...config } },
          },
        },
      ],
    },
  }),
];

const leaves = (annotations: object) => [deployment(podSpec(), { annotations })];
const leads = (host: string, to: unknown) => [
  object("networking.istio.io/v1", "VirtualService", {
    spec: { hosts: [host], http: [{ route: [{ destination: { host: to } }] }] },
  }),
];

const rule = (tls: unknown, more: object = {}) => [
  object("networking.istio.io/v1", "DestinationRule", { spec: { ...more, trafficPolicy: { tls } } }),
];

policyCases(meshClosed, [
  ["TLS of the mesh", rule({ mode: "ISTIO_MUTUAL" }), "pass"],
  ["a server by its authority", rule({ mode: "SIMPLE", caCertificates: "/etc/ca.pem" }), "pass"],
  ["a public server", rule({ mode: "SIMPLE", caCertificates: "system", sni: "a.b", subjectAltNames: ["a.b"] }), "pass"],
  ["any server", rule({ mode: "SIMPLE" }), ["tls.caCertificates is not set"]],
  ["any server, with a certificate", rule({ mode: "MUTUAL", clientCertificate: "/a.pem" }), ["caCertificates is not"]],
  ["any name", rule({ mode: "SIMPLE", caCertificates: "system", sni: "a.b" }), ["tls.subjectAltNames is not set"]],
  ["TLS without a mode", rule({ sni: "a.b" }), ["tls.mode is not set"]],
  ["a Secret of some pods", rule({ mode: "SIMPLE", credentialName: "a" }, { workloadSelector: selector }), "pass"],
  ["a Secret of all pods", rule({ mode: "SIMPLE", credentialName: "a" }), ["tls.credentialName is"]],
  ["an unknown authority", rule({ mode: "SIMPLE", caCertificates: UNKNOWN }), "unknown"],
  ["an unknown mode of TLS", rule({ mode: UNKNOWN }), "unknown"],
  [
    "a pod that leaves, by an operator's own name",
    [object("a.example/v1", "Thing", { spec: { workers: { podLabels: { "istio.io/dataplane-mode": "none" } } } })],
    ["podLabels"],
  ],
  ...["grpc-simple", "gateway", "sidecar,custom", ""].map(
    (templates) =>
      [
        `a pod that injects "${templates}" in place of the proxy`,
        [deployment(podSpec(), { annotations: { "inject.istio.io/templates": templates } })],
        ["templates"],
      ] as const,
  ),
  [
    "a pod that injects the proxy by name",
    [deployment(podSpec(), { annotations: { "inject.istio.io/templates": "sidecar" } })],
    "pass",
  ],
  [
    "a pod that leaves, by a chart's value",
    [release({ values: { podAnnotations: { "sidecar.istio.io/inject": "false" } } })],
    ["podAnnotations"],
  ],
  [
    "a pod that leaves, by a patch in a text",
    [object("a.example/v1", "Thing", { spec: { patch: "metadata:\n  labels:\n    istio.io/dataplane-mode: none\n" } })],
    ["spec.patch"],
  ],
  [
    "a pod that leaves, by a JSON patch",
    [
      object("a.example/v1", "Thing", {
        spec: { patches: [{ op: "add", path: "/metadata/labels/istio.io~1dataplane-mode", value: "none" }] },
      }),
    ],
    ["dataplane-mode"],
  ],
  ["a pod past the waypoint", [deployment(podSpec(), { labels: { "istio.io/use-waypoint": "none" } })], ["waypoint"]],
  [
    "connections through another proxy",
    [
      object("networking.istio.io/v1", "DestinationRule", {
        spec: { trafficPolicy: { tunnel: { targetHost: "evil.example.com", targetPort: 443 } } },
      }),
    ],
    ["another proxy"],
  ],
  [
    "pods that left, chosen",
    [object("a.example/v1", "Thing", { spec: { selector: { "istio.io/dataplane-mode": "none" } } })],
    "pass",
  ],
  ["nothing redirected in", leaves({ "traffic.sidecar.istio.io/includeInboundPorts": "" }), ["includeInboundPorts"]],
  ["nothing redirected out", leaves({ "traffic.sidecar.istio.io/includeOutboundIPRanges": "" }), ["includeOutbound"]],
  ["nothing left out", leaves({ "traffic.sidecar.istio.io/excludeInboundPorts": "" }), "pass"],
  ["every port left out", leaves({ "traffic.sidecar.istio.io/excludeInboundPorts": "*" }), ["excludeInboundPorts"]],
  ["past the node's proxy", leaves({ "ambient.istio.io/bypass-inbound-capture": "true" }), ["bypass-inbound-capture"]],
  [
    "a proxy that takes nothing",
    leaves({ "proxy.istio.io/config": "interceptionMode: NONE\n" }),
    ["proxy.istio.io/config"],
  ],
  ["a proxy's threads", leaves({ "proxy.istio.io/config": "concurrency: 2\n" }), "pass"],
  ["an unknown proxy", leaves({ "proxy.istio.io/config": UNKNOWN }), "unknown"],
  ["a model led elsewhere", leads("chat.model-chat.svc.cluster.local", "evil.example.com"), ["destination.host is"]],
  ["a model led to another Service", leads("chat", "chat-b.model-chat.svc.cluster.local"), "pass"],
  ["a name outside led outside", leads("api.example.com", "b.example.com"), "pass"],
  ["a model led to who knows", leads("chat", UNKNOWN), "unknown"],
  ["strict", peers({ mtls: { mode: "STRICT" } }), "pass"],
  ["what the mesh says", peers({}), "pass"],
  ["permissive", peers({ mtls: { mode: "PERMISSIVE" } }), ['spec.mtls.mode is "PERMISSIVE"']],
  ["off", peers({ mtls: { mode: "DISABLE" } }), ['spec.mtls.mode is "DISABLE"']],
  ["a port for others, of some pods", peers({ selector, portLevelMtls: { 9443: { mode: "PERMISSIVE" } } }), "pass"],
  ["a port for others, of all pods", peers({ portLevelMtls: { 9443: { mode: "PERMISSIVE" } } }), ["with a selector"]],
  ["a port that is off", peers({ selector, portLevelMtls: { 9443: { mode: "DISABLE" } } }), ['is "DISABLE"']],
  ["an unknown mode", peers({ mtls: { mode: UNKNOWN } }), "unknown"],

  [
    "callers by principal",
    allows([{ from: from({ principals: ["cluster.local/ns/a/sa/b"] }), to: to("8000") }]),
    "pass",
  ],
  ["callers by namespace", allows([{ from: from({ namespaces: ["a"] }) }]), "pass"],
  ["whoever has a token", allows([{ from: from({ requestPrincipals: ["*"] }) }]), "pass"],
  [
    "callers outside of the mesh, at a port",
    allows([{ from: from({ notPrincipals: ["*"] }), to: to("9000") }]),
    "pass",
  ],
  [
    "the API server",
    allows([{ from: from({ ipBlocks: ["0.0.0.0/0"], notPrincipals: ["*"] }), to: to("9443") }]),
    "pass",
  ],
  ["everybody", allows([{}]), [someone]],
  ["everybody at an engine", allows([{ to: to("8000") }]), [someone]],
  ["every namespace", allows([{ from: from({ namespaces: ["*"] }) }]), [someone]],
  ["every address", allows([{ from: from({ ipBlocks: ["0.0.0.0/1"] }), to: to("8000") }]), [someone]],
  ["clients of the gateway", allows([{ to: to("10443") }], "inference-gateway"), "pass"],
  ["everything of the gateway", allows([{}], "inference-gateway"), [someone]],
  ["a denial of everybody", security("AuthorizationPolicy", { action: "DENY", rules: [{}] }), "pass"],
  ["unknown rules", allows(UNKNOWN), "unknown"],
  ["an unknown source", allows([{ from: UNKNOWN }]), "unknown"],

  ["keys by TLS", security("RequestAuthentication", { jwtRules: [{ jwksUri: "https://a.example" }] }), "pass"],
  [
    "keys in the clear",
    security("RequestAuthentication", { jwtRules: [{ jwksUri: "http://a.example" }] }),
    ["https://…"],
  ],
  [
    "a server without TLS",
    [object("networking.istio.io/v1", "DestinationRule", { spec: { trafficPolicy: { tls: { mode: "DISABLE" } } } })],
    ['tls.mode is "DISABLE"'],
  ],
  [
    "a filter that limits",
    filter("HTTP_FILTER", "INSERT_BEFORE", "filters.http.local_ratelimit.v3.LocalRateLimit"),
    "pass",
  ],
  [
    "errors of the mesh's own words",
    filter("NETWORK_FILTER", "MERGE", "filters.network.http_connection_manager.v3.HttpConnectionManager", {
      local_reply_config: {},
    }),
    "pass",
  ],
  [
    "another way of connections",
    filter("NETWORK_FILTER", "MERGE", "filters.network.http_connection_manager.v3.HttpConnectionManager", {
      http_filters: [],
    }),
    [patched],
  ],
  ["code", filter("HTTP_FILTER", "INSERT_BEFORE", "filters.http.lua.v3.Lua"), [patched]],
  ["a filter taken out", filter("HTTP_FILTER", "REMOVE", "filters.http.rbac.v3.RBAC"), [patched]],
  ["an unknown filter", filter(UNKNOWN, "INSERT_BEFORE", "filters.http.lua.v3.Lua"), "unknown"],

  ["callers of a team", allows([{ from: from({ namespaces: ["team-a-*"] }) }]), "pass"],
  ["callers of all models", allows([{ from: from({ namespaces: ["model-*"] }) }]), [someone]],
  ["all accounts of a namespace", allows([{ from: from({ principals: ["cluster.local/ns/a/*"] }) }]), "pass"],
  ["any identity", allows([{ from: from({ principals: ["*"] }) }]), [someone]],
  ["callers by a condition", allows([{ when: [{ key: "source.namespace", values: ["a"] }] }]), "pass"],
  ["an unknown condition", allows([{ when: [{ key: "source.namespace", values: UNKNOWN }] }]), "unknown"],
  [
    "callers of two networks",
    allows([{ from: from({ ipBlocks: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"] }), to: to("8000") }]),
    "pass",
  ],
  [
    "named hosts outside",
    [object("networking.istio.io/v1", "ServiceEntry", { spec: { hosts: ["a.example", "*.a.example"] } })],
    "pass",
  ],
  [
    "hosts of the mesh alone",
    [object("networking.istio.io/v1", "Sidecar", { spec: { outboundTrafficPolicy: { mode: "REGISTRY_ONLY" } } })],
    "pass",
  ],
  ["a pod that joins", [deployment(podSpec(), { labels: { "sidecar.istio.io/inject": "true" } })], "pass"],
  [
    "a pod that leaves",
    [deployment(podSpec(), { annotations: { "traffic.sidecar.istio.io/excludeOutboundPorts": "443" } })],
    ["whole namespaces"],
  ],
]);
