import { gatewayExtensions } from "../../../policies/rules/gateway-extensions";
import { object, policyCases, UNKNOWN } from "../cases";

const IN = { namespace: "inference-gateway" };
const envoy = (kind: string, spec: unknown) => [object("gateway.envoyproxy.io/v1alpha1", kind, { spec }, IN)];
const api = (kind: string, spec: unknown) => [object("gateway.networking.k8s.io/v1", kind, { spec }, IN)];
const grant = (to: unknown) => api("ReferenceGrant", { from: [{ kind: "HTTPRoute", namespace: "a" }], to });
const http = (filters: unknown) => api("HTTPRoute", { rules: [{ filters }] });

const token = (provider: object) => envoy("SecurityPolicy", { jwt: { providers: [{ name: "a", ...provider }] } });

policyCases(gatewayExtensions, [
  [
    "a claim as the header of keys",
    token({ claimToHeaders: [{ header: "X-Consumer-ID", claim: "a" }] }),
    ["header is"],
  ],
  ["a claim as the header of tokens", token({ claimToHeaders: [{ header: "x-token-consumer", claim: "a" }] }), "pass"],
  ["keys of tokens in the clear", token({ remoteJWKS: { uri: "http://a.example/jwks" } }), ["remoteJWKS.uri is"]],
  ["keys of tokens from who knows", token({ remoteJWKS: { uri: UNKNOWN } }), "unknown"],
  [
    "names of users as callers",
    envoy("SecurityPolicy", { basicAuth: { users: { name: "u" }, forwardUsernameHeader: "x-consumer-id" } }),
    ["forwardUsernameHeader is"],
  ],
  [
    "addresses that callers say",
    envoy("ClientTrafficPolicy", { clientIPDetection: { customHeader: { name: "x-real-ip" } } }),
    ["customHeader is a caller"],
  ],
  ["Lua in the object", envoy("EnvoyExtensionPolicy", { lua: [{ type: "Inline", inline: "" }] }), "pass"],
  [
    "a program from an address",
    envoy("EnvoyExtensionPolicy", { wasm: [{ code: { type: "HTTP", http: { url: "https://a.example/b.wasm" } } }] }),
    ["spec.wasm has a program of others in the gateway"],
  ],
  ["a check that may be away", envoy("EnvoyExtensionPolicy", { extProc: [{ failOpen: true }] }), ["failOpen is true"]],
  ["a module from a file", envoy("EnvoyExtensionPolicy", { dynamicModule: [{ name: "a" }] }), ["a program of others"]],
  [
    "another start of the proxies",
    envoy("EnvoyProxy", { bootstrap: { value: "admin: {}" } }),
    ["spec.bootstrap is a patch"],
  ],
  [
    "scripts before the body is read",
    envoy("EnvoyProxy", { filterOrder: [{ name: "envoy.filters.http.lua", before: "envoy.filters.http.buffer" }] }),
    "pass",
  ],
  [
    "keys asked for at the end",
    envoy("EnvoyProxy", {
      filterOrder: [{ name: "envoy.filters.http.api_key_auth", after: "envoy.filters.http.fault" }],
    }),
    ["filterOrder[0].name is"],
  ],
  [
    "a program before keys are asked for",
    envoy("EnvoyProxy", {
      filterOrder: [{ name: "envoy.filters.http.ext_proc", before: "envoy.filters.http.jwt_authn" }],
    }),
    ["filterOrder[0].before is"],
  ],
  [
    "copies for one backend",
    api("HTTPRoute", { rules: [{ backendRefs: [{ filters: [{ type: "RequestMirror" }] }] }] }),
    ["no copies of prompts"],
  ],
  [
    "everybody called by one name",
    envoy("ClientTrafficPolicy", {
      headers: { earlyRequestHeaders: { set: [{ name: "X-Consumer-Id", value: "a" }] } },
    }),
    ["earlyRequestHeaders.set[0].name is"],
  ],
  [
    "a header that says nothing of callers",
    envoy("ClientTrafficPolicy", { headers: { earlyRequestHeaders: { add: [{ name: "x-edge", value: "a" }] } } }),
    "pass",
  ],
  ["an unknown program", envoy("EnvoyExtensionPolicy", { wasm: UNKNOWN }), "unknown"],
  [
    "a patch of the proxies",
    envoy("EnvoyPatchPolicy", { type: "JSONPatch" }),
    ["spec is a patch of the proxies' configuration"],
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
