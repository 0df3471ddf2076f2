import { object } from "../subjects";
import { type Attack, ENVOY, GATEWAY_API, inGateway, inModel } from "./attack";

const TENANTS = "tenant-isolation";
const EXTENSIONS = "gateway-extensions";
const listener = (name: string, protocol: string, port: number) =>
  inGateway(GATEWAY_API, "Gateway", { listeners: [{ name, protocol, port }] });
const parentRefs = (sectionName: string) => [{ name: "inference", sectionName }];
const route = (sectionName: string, kind = "HTTPRoute") =>
  inGateway(
    GATEWAY_API,
    kind,
    { parentRefs: parentRefs(sectionName), rules: [{ backendRefs: [{ name: "chat" }] }] },
    "r",
  );
const asks = (how: object) =>
  inGateway(ENVOY, "SecurityPolicy", { targetRefs: [{ kind: "Gateway", name: "inference" }], ...how });
const https = listener("https", "HTTPS", 443);
const extension = (spec: object) => [inGateway(ENVOY, "EnvoyExtensionPolicy", spec)];
const istio = (kind: string, spec: unknown) => [inModel("security.istio.io/v1", kind, { spec })];

export const GATEWAY: readonly Attack[] = [
  [
    "a claim as a consumer's name",
    EXTENSIONS,
    [inGateway(ENVOY, "SecurityPolicy", { jwt: { providers: [{ claimToHeaders: [{ header: "x-consumer-id" }] }] } })],
  ],
  [
    "an address that callers say",
    EXTENSIONS,
    [inGateway(ENVOY, "ClientTrafficPolicy", { clientIPDetection: { customHeader: { name: "x-real-ip" } } })],
  ],
  ["tokens that may be missing", TENANTS, [https, route("https"), asks({ jwt: { optional: true, providers: [] } })]],
  ["a check that may be away", TENANTS, [https, route("https"), asks({ extAuth: { failOpen: true } })]],
  [
    "whom no rule names",
    TENANTS,
    [https, route("https"), asks({ apiKeyAuth: {}, authorization: { defaultAction: "Allow" } })],
  ],
  ["connections past HTTP", TENANTS, [listener("tcp", "TCP", 443), route("tcp", "TCPRoute")]],
  ["TLS passed on", TENANTS, [listener("tls", "TLS", 443), route("tls", "TLSRoute")]],
  ["a model by plain HTTP", TENANTS, [listener("http", "HTTP", 80), route("http")]],
  [
    "a model's route that takes itself out",
    TENANTS,
    [
      https,
      object(
        "aigateway.envoyproxy.io/v1beta1",
        "AIGatewayRoute",
        { spec: { parentRefs: parentRefs("https") } },
        { namespace: "inference-gateway", annotations: { "inference-stacks.io/callers": "checked-by-service" } },
      ),
    ],
  ],
  [
    "a patch of the proxies",
    EXTENSIONS,
    [inGateway(ENVOY, "EnvoyPatchPolicy", { type: "JSONPatch", jsonPatches: [] })],
  ],
  [
    "a program of others",
    EXTENSIONS,
    extension({ wasm: [{ code: { type: "HTTP", http: { url: "https://a.example/b" } } }] }),
  ],
  [
    "Secrets for every route",
    EXTENSIONS,
    [
      inModel("gateway.networking.k8s.io/v1beta1", "ReferenceGrant", {
        spec: { from: [{ kind: "HTTPRoute" }], to: [{ kind: "Secret" }] },
      }),
    ],
  ],
  [
    "copies of prompts",
    EXTENSIONS,
    [inGateway(GATEWAY_API, "HTTPRoute", { rules: [{ filters: [{ type: "RequestMirror" }] }] })],
  ],
  ["old TLS", EXTENSIONS, [inGateway(ENVOY, "ClientTrafficPolicy", { tls: { minVersion: "1.0" } })]],
  ["keys that browsers send", EXTENSIONS, [inGateway(ENVOY, "SecurityPolicy", { cors: { allowCredentials: true } })]],
  [
    "routes of every namespace",
    EXTENSIONS,
    [inGateway(GATEWAY_API, "Gateway", { listeners: [{ allowedRoutes: { namespaces: { from: "All" } } }] })],
  ],
  [
    "the metadata service as a backend",
    "network-destinations",
    [inGateway(ENVOY, "Backend", { endpoints: [{ ip: { address: "169.254.169.254" } }] })],
  ],
  [
    "a route of a model's own namespace that takes itself out",
    TENANTS,
    [
      https,
      object(
        GATEWAY_API,
        "HTTPRoute",
        { spec: { parentRefs: parentRefs("https"), rules: [{ backendRefs: [{ name: "chat" }] }] } },
        { namespace: "model-chat", annotations: { "inference-stacks.io/callers": "checked-by-service" } },
      ),
    ],
  ],
  [
    "a caller's name, written by a route",
    EXTENSIONS,
    [
      inGateway(GATEWAY_API, "HTTPRoute", {
        rules: [{ filters: [{ requestHeaderModifier: { set: [{ name: "X-Consumer-Id", value: "a" }] } }] }],
      }),
    ],
  ],
  [
    "a caller's name, as a credential",
    EXTENSIONS,
    [inGateway(ENVOY, "HTTPRouteFilter", { credentialInjection: { header: "x-consumer-id" } })],
  ],
  ["whatever a request names", "network-destinations", [inGateway(ENVOY, "Backend", { type: "DynamicResolver" })]],
  [
    "the metadata service behind a Service",
    "network-destinations",
    [inModel("discovery.k8s.io/v1", "EndpointSlice", { endpoints: [{ addresses: ["169.254.169.254"] }] })],
  ],
  [
    "every host of the mesh",
    "network-destinations",
    [inModel("networking.istio.io/v1", "ServiceEntry", { spec: { hosts: ["*"] } })],
  ],
  ["a mesh that asks nobody", "mesh-closed", istio("PeerAuthentication", { mtls: { mode: "PERMISSIVE" } })],
  ["everybody in the mesh", "mesh-closed", istio("AuthorizationPolicy", { rules: [{}] })],
  [
    "keys of tokens in the clear",
    "mesh-closed",
    istio("RequestAuthentication", { jwtRules: [{ jwksUri: "http://a.example" }] }),
  ],
  [
    "a filter taken out of a proxy",
    "mesh-closed",
    [
      inModel("networking.istio.io/v1alpha3", "EnvoyFilter", {
        spec: { configPatches: [{ patch: { operation: "REMOVE" } }] },
      }),
    ],
  ],
  [
    "ports of administration",
    "no-public-endpoint",
    [inGateway("core/v1", "Service", { type: "LoadBalancer", ports: [{ port: 19000 }] })],
  ],
];
