import { tenantIsolation } from "../../../policies/rules/tenant-isolation";
import { object, policyCases, UNKNOWN } from "../cases";

const gatewayApi = "gateway.networking.k8s.io/v1";
const envoy = "gateway.envoyproxy.io/v1alpha1";
const gateway = object(
  gatewayApi,
  "Gateway",
  {
    spec: {
      listeners: [
        { name: "https", protocol: "HTTPS" },
        { name: "api", protocol: "HTTPS" },
        { name: "http", protocol: "HTTP" },
      ],
    },
  },
  { name: "inference", namespace: "gw" },
);
const parent = (sectionName?: unknown) => ({
  kind: "Gateway",
  name: "inference",
  ...(sectionName !== undefined && { sectionName }),
});
const route = (sectionName: unknown, { kind = "HTTPRoute", annotations = {}, namespace = "gw" } = {}) =>
  object(
    kind === "AIGatewayRoute" ? "aigateway.envoyproxy.io/v1beta1" : gatewayApi,
    kind,
    { spec: { parentRefs: [parent(sectionName)] } },
    { name: "chat", namespace, annotations },
  );
const policy = (spec: object, namespace: unknown = "gw") =>
  object(envoy, "SecurityPolicy", { spec }, { name: "keys", namespace });
const keys = policy({ targetRefs: [parent("https")], apiKeyAuth: { extractFrom: [{ headers: ["Authorization"] }] } });
const onRoute = (spec: object) => policy({ targetRefs: [{ kind: "HTTPRoute", name: "chat" }], ...spec });
const itself = { annotations: { "inference-stacks.io/callers": "checked-by-service" } };
const none = "spec.parentRefs[0] is an HTTPS listener without a SecurityPolicy that asks who calls";
const taken = "spec is without authentication, and takes that of the listener away from its routes";

policyCases(tenantIsolation, [
  ["a route on the listener that asks for keys", [gateway, keys, route("https")], "pass"],
  ["a policy of the whole Gateway", [gateway, policy({ targetRefs: [parent()], jwt: {} }), route("https")], "pass"],
  ["a redirect on plain HTTP", [gateway, route("http")], "pass"],
  ["a service that checks its callers", [gateway, keys, route("api", itself)], "pass"],
  [
    "a route that changes the listener's policy",
    [gateway, keys, route("https"), onRoute({ mergeType: "JSONMerge", authorization: {} })],
    "pass",
  ],
  [
    "a route with authentication of its own",
    [gateway, keys, route("https"), onRoute({ jwt: { providers: [] } })],
    "pass",
  ],
  ["no gateway", [], "pass"],
  ["a listener that asks nobody", [gateway, keys, route("api")], [none]],
  ["a route of the AI gateway on it", [gateway, keys, route("api", { kind: "AIGatewayRoute" })], [none]],
  ["a route of gRPC on it", [gateway, keys, route("api", { kind: "GRPCRoute" })], [none]],
  ["a route on all listeners, of which one asks", [gateway, keys, route(undefined)], [none]],
  ["no policy at all", [gateway, route("https")], [none]],
  [
    "a policy that believes a header",
    [gateway, policy({ targetRefs: [parent("https")], authorization: {} }), route("https")],
    [none],
  ],
  [
    "a policy in another namespace",
    [gateway, policy({ targetRefs: [parent("https")], jwt: {} }, "other"), route("https")],
    [none],
  ],
  [
    "another word in the annotation",
    [gateway, route("api", { annotations: { "inference-stacks.io/callers": "anybody" } })],
    [none],
  ],
  [
    "a route's policy in place of the listener's",
    [gateway, keys, route("https"), onRoute({ authorization: {} })],
    [taken],
  ],
  [
    "the same by labels",
    [gateway, keys, policy({ targetSelectors: [{ kind: "HTTPRoute", matchLabels: { a: "b" } }], authorization: {} })],
    [taken],
  ],
  ["an unknown listener", [gateway, keys, route(UNKNOWN)], "unknown"],
  ["an unknown target", [gateway, policy({ targetRefs: UNKNOWN, apiKeyAuth: {} }), route("https")], "unknown"],
  [
    "unknown authentication",
    [gateway, policy({ targetRefs: [parent("https")], apiKeyAuth: UNKNOWN }), route("https")],
    "unknown",
  ],
]);
