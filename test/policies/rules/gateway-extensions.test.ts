import { gatewayExtensions } from "../../../policies/rules/gateway-extensions";
import { object, policyCases, UNKNOWN } from "../cases";

const IN = { namespace: "inference-gateway" };
const envoy = (kind: string, spec: unknown) => [object("gateway.envoyproxy.io/v1alpha1", kind, { spec }, IN)];
const api = (kind: string, spec: unknown) => [object("gateway.networking.k8s.io/v1", kind, { spec }, IN)];
const grant = (to: unknown) => api("ReferenceGrant", { from: [{ kind: "HTTPRoute", namespace: "a" }], to });
const http = (filters: unknown) => api("HTTPRoute", { rules: [{ filters }] });

policyCases(gatewayExtensions, [
  ["Lua in the object", envoy("EnvoyExtensionPolicy", { lua: [{ type: "Inline", inline: "" }] }), "pass"],
  [
    "a program from an address",
    envoy("EnvoyExtensionPolicy", { wasm: [{ code: { type: "HTTP", http: { url: "https://a.example/b.wasm" } } }] }),
    ["spec.wasm has a program of others in the gateway"],
  ],
  ["a check that may be away", envoy("EnvoyExtensionPolicy", { extProc: [{ failOpen: true }] }), ["failOpen is true"]],
  ["an unknown program", envoy("EnvoyExtensionPolicy", { wasm: UNKNOWN }), "unknown"],
  [
    "a patch of the proxies",
    envoy("EnvoyPatchPolicy", { type: "JSONPatch" }),
    ["spec is a patch of what the gateway tells"],
  ],
  ["a grant of one Service", grant([{ group: "", kind: "Service", name: "a" }]), "pass"],
  ["a grant of all Services", grant([{ group: "", kind: "Service" }]), ["spec.to[0].name is not set"]],
  ["a grant of a Secret", grant([{ group: "", kind: "Secret", name: "a" }]), ["no Secrets"]],
  ["an unknown grant", grant(UNKNOWN), "unknown"],
  ["a redirect", http([{ type: "RequestRedirect" }]), "pass"],
  ["copies of requests", http([{ type: "RequestMirror" }]), ["no copies of prompts"]],
  [
    "routes of every namespace",
    api("Gateway", { listeners: [{ allowedRoutes: { namespaces: { from: "All" } } }] }),
    ["Same, or a Selector"],
  ],
  ["a backend whose certificate nobody checks", envoy("Backend", { tls: { insecureSkipVerify: true } }), ["is true"]],
  [
    "clients as the gateway has them",
    envoy("ClientTrafficPolicy", {
      tls: { minVersion: "1.2" },
      path: { disableMergeSlashes: false, escapedSlashesAction: "UnescapeAndRedirect" },
      headers: { withUnderscoresAction: "RejectRequest" },
    }),
    "pass",
  ],
  ["clients of old TLS", envoy("ClientTrafficPolicy", { tls: { minVersion: "1.0" } }), ["1.2 or newer"]],
  [
    "paths and headers that two programs read in two ways",
    envoy("ClientTrafficPolicy", {
      path: { disableMergeSlashes: true, escapedSlashesAction: "KeepUnchanged" },
      headers: { withUnderscoresAction: "Allow" },
    }),
    ["disableMergeSlashes", "escapedSlashesAction", "withUnderscoresAction"],
  ],
  [
    "keys that browsers send along",
    envoy("SecurityPolicy", { cors: { allowCredentials: true } }),
    ["spec.cors.allowCredentials is true"],
  ],
]);
