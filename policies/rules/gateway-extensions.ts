import { CONSUMER_HEADER, TENANT_HEADER, TOKEN_CONSUMER_HEADER } from "../../names/gateway";
import { resourcePolicy } from "../lib/policy";
import { broken, isGiven, isOneOf, isTrue, type Row } from "../lib/rows";

/** Envoy filters that authenticate, and the router, after which none runs. */
const ASKING = /\.(api_key_auth|basic_auth|ext_authz|jwt_authn|oauth2|rbac|router)$/;
const CALLERS: readonly string[] = [CONSUMER_HEADER, TENANT_HEADER, TOKEN_CONSUMER_HEADER];

const NAMING_CALLERS: readonly (readonly [on: readonly string[], path: string])[] = [
  ...["earlyRequestHeaders", "lateRequestHeaders"].flatMap((when) =>
    ["set", "add", "addIfAbsent"].map(
      (way) => [["ClientTrafficPolicy"], `spec.headers.${when}.${way}[].name`] as const,
    ),
  ),
  ...["", "backendRefs[]."].flatMap((place) =>
    ["set", "add"].map(
      (way) =>
        [["HTTPRoute", "GRPCRoute"], `spec.rules[].${place}filters[].requestHeaderModifier.${way}[].name`] as const,
    ),
  ),
  [["AIGatewayRoute"], "spec.rules[].backendRefs[].headerMutation.set[].name"],
  [["HTTPRouteFilter"], "spec.credentialInjection.header"],
  [["SecurityPolicy"], "spec.basicAuth.forwardUsernameHeader"],
];

const ROWS: readonly Row[] = [
  {
    on: ["EnvoyPatchPolicy"],
    path: "spec",
    isWrong: () => true,
    found: "is a patch of the proxies' configuration, authentication included",
    allowed: "the fields of Envoy Gateway's own policies",
  },
  {
    on: ["EnvoyExtensionPolicy"],
    path: "spec.wasm",
    isWrong: (modules) => Array.isArray(modules) && modules.length > 0,
    found: "has a program of others in the gateway, which reads every prompt and key",
    allowed: "inline Lua",
  },
  {
    on: ["EnvoyExtensionPolicy"],
    path: "spec.dynamicModule",
    isWrong: (modules) => Array.isArray(modules) && modules.length > 0,
    found: "has a program of others in the gateway, which reads every prompt and key",
    allowed: "inline Lua",
  },
  {
    on: ["EnvoyProxy"],
    path: "spec.bootstrap",
    isWrong: isGiven,
    found: "is a patch of what the proxies start with, their administration too",
    allowed: "the fields of EnvoyProxy",
  },
  ...["name", "before", "after"].map((place) => ({
    on: ["EnvoyProxy"],
    path: `spec.filterOrder[].${place}`,
    isWrong: (filter: unknown) => typeof filter === "string" && ASKING.test(filter),
    allowed: "an order of other filters: what asks who calls stays where Envoy Gateway puts it",
  })),
  {
    on: ["EnvoyExtensionPolicy"],
    path: "spec.extProc[].failOpen",
    isWrong: isTrue,
    allowed: "false: a request waits for its check",
  },
  {
    on: ["ReferenceGrant"],
    path: "spec.to[].kind",
    isWrong: (kind) => kind === undefined || kind === "Secret",
    allowed: "no Secrets: routes and Gateways of other namespaces would read them",
  },
  {
    on: ["ReferenceGrant"],
    path: "spec.to[].name",
    isWrong: (name) => !isGiven(name),
    allowed: "one object by its name",
  },
  {
    on: ["HTTPRoute", "GRPCRoute"],
    path: "spec.rules[].filters[].type",
    isWrong: isOneOf("RequestMirror"),
    allowed: "no copies of prompts",
  },
  {
    on: ["HTTPRoute", "GRPCRoute"],
    path: "spec.rules[].backendRefs[].filters[].type",
    isWrong: isOneOf("RequestMirror"),
    allowed: "no copies of prompts",
  },
  {
    on: ["Gateway"],
    path: "spec.listeners[].allowedRoutes.namespaces.from",
    isWrong: isOneOf("All"),
    allowed: "Same, or a Selector",
  },
  { on: ["Backend"], path: "spec.tls.insecureSkipVerify", isWrong: isTrue, allowed: "false" },
  {
    on: ["ClientTrafficPolicy"],
    path: "spec.tls.minVersion",
    isWrong: (version) => ["1.0", "1.1", "Auto"].includes(String(version)),
    allowed: "1.2 or newer",
  },
  {
    on: ["ClientTrafficPolicy"],
    path: "spec.path.disableMergeSlashes",
    isWrong: isTrue,
    allowed: "false: routes and the services behind them read paths alike",
  },
  {
    on: ["ClientTrafficPolicy"],
    path: "spec.path.escapedSlashesAction",
    isWrong: isOneOf("KeepUnchanged"),
    allowed: "UnescapeAndRedirect",
  },
  {
    on: ["ClientTrafficPolicy"],
    path: "spec.headers.withUnderscoresAction",
    isWrong: isOneOf("Allow"),
    allowed: "RejectRequest: services take x_consumer_id for x-consumer-id",
  },
  ...NAMING_CALLERS.map(([on, path]) => ({
    on,
    path,
    isWrong: (name: unknown) => typeof name === "string" && CALLERS.includes(name.toLowerCase()),
    allowed: "no name of a caller: the gateway sets it after it has asked",
  })),
  {
    on: ["SecurityPolicy"],
    path: "spec.jwt.providers[].claimToHeaders[].header",
    isWrong: (name) =>
      typeof name === "string" &&
      CALLERS.includes(name.toLowerCase()) &&
      name.toLowerCase() !== TOKEN_CONSUMER_HEADER.toLowerCase(),
    allowed: `${TOKEN_CONSUMER_HEADER}: the others are of keys, and of who administers the gateway`,
  },
  {
    on: ["SecurityPolicy"],
    path: "spec.jwt.providers[].remoteJWKS.uri",
    isWrong: (uri) => isGiven(uri) && !/^https:\/\//i.test(String(uri)),
    allowed: "an https:// URL: over plain HTTP an attacker can replace the signing keys",
  },
  {
    on: ["ClientTrafficPolicy"],
    path: "spec.clientIPDetection.customHeader",
    isWrong: isGiven,
    found: "is a caller's address that the caller says",
    allowed: "xForwardedFor, with the number or the networks of the proxies in front",
  },
  {
    on: ["SecurityPolicy"],
    path: "spec.cors.allowCredentials",
    isWrong: isTrue,
    allowed: "false: keys are no cookies",
  },
];

export const gatewayExtensions = resourcePolicy(
  {
    name: "gateway-extensions",
    description:
      "Nothing goes past what the gateway asks: no patches of its proxies, no programs of others in them, no copies of requests, no grants of Secrets or of everything to routes of other namespaces, TLS with a version and a certificate that are checked, and paths and headers that routes and services read alike.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["isolation", "gateway"],
    remediationSteps:
      "Use Envoy Gateway's own policies, and Backends in the gateway's namespace, as components/gateway does.",
  },
  (resource, report) => {
    for (const finding of broken(ROWS, resource)) {
      report({ resource, ...finding });
    }
  },
);
