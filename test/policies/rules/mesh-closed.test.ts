import { meshClosed } from "../../../policies/rules/mesh-closed";
import { object, policyCases, UNKNOWN } from "../cases";

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

policyCases(meshClosed, [
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
    "a filter added",
    [
      object("networking.istio.io/v1alpha3", "EnvoyFilter", {
        spec: { configPatches: [{ patch: { operation: "MERGE" } }] },
      }),
    ],
    "pass",
  ],
  [
    "a filter taken out",
    [
      object("networking.istio.io/v1alpha3", "EnvoyFilter", {
        spec: { configPatches: [{ patch: { operation: "REMOVE" } }] },
      }),
    ],
    ['patch.operation is "REMOVE"'],
  ],
]);
