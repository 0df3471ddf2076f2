import { ISTIO_NAMESPACE } from "../../names/namespaces";
import { documentsIn } from "../lib/documents";
import { type Field, isObject } from "../lib/field";
import { chartValues } from "../lib/helm-values";
import { letsStrangersIn } from "../lib/mesh-callers";
import { podTemplates } from "../lib/pods";
import { type Finding, resourcePolicy } from "../lib/policy";
import { propertiesBelow } from "../lib/properties";
import { namespaceOf, type Resource } from "../lib/resource";
import { broken, isGiven, isOneOf, type Row, select } from "../lib/rows";
import { selectsAll } from "../lib/selectors";

/** For all, one port, or subsets of pods. */
const TRAFFIC = ["spec.trafficPolicy", "spec.subsets[].trafficPolicy"].flatMap((path) => [
  path,
  `${path}.portLevelSettings[]`,
]);

const ROWS: readonly Row[] = [
  {
    on: ["RequestAuthentication"],
    path: "spec.jwtRules[].jwksUri",
    isWrong: (uri) => isGiven(uri) && !/^https:\/\//.test(String(uri)),
    allowed: "https://…",
  },
  {
    on: ["WasmPlugin", "TrafficExtension"],
    path: "spec",
    isWrong: () => true,
    found: "is a program of others in the mesh's proxies, which reads every prompt",
    allowed: "the mesh's own policies",
  },
  {
    on: ["Sidecar"],
    path: "spec.outboundTrafficPolicy.mode",
    isWrong: isOneOf("ALLOW_ANY"),
    allowed: "REGISTRY_ONLY",
  },
  ...["spec.trafficPolicy", "spec.subsets[].trafficPolicy"].map((path) => ({
    on: ["DestinationRule"],
    path: `${path}.tunnel`,
    isWrong: isGiven,
    found: "is a way through another proxy",
    allowed: "none",
  })),
  ...["ingress", "egress"].map((direction) => ({
    on: ["Sidecar"],
    path: `spec.${direction}[].captureMode`,
    isWrong: isOneOf("NONE"),
    allowed: "DEFAULT: what is not captured passes the mesh's policies by",
  })),
  {
    on: ["Sidecar"],
    path: "spec.ingress[].tls",
    isWrong: isGiven,
    allowed: "no TLS of the listener's own, in place of the mesh's, which asks who calls",
  },
  ...["mirror", "mirrors"].map((name) => ({
    on: ["VirtualService"],
    path: `spec.http[].${name}`,
    isWrong: (value: unknown) => isGiven(value) && !(Array.isArray(value) && value.length === 0),
    found: "copies prompts",
    allowed: "no copies of prompts",
  })),
  {
    on: ["ServiceEntry"],
    path: "spec.hosts[]",
    isWrong: (host) => typeof host === "string" && (isClusterName(host) || isTooWide(host)),
    allowed: "names of servers outside of the cluster, or *. and at least two parts of such a name",
  },
];

/** A name of the cluster's DNS: an entry would redirect its callers. */
function isClusterName(host: string): boolean {
  return !host.includes(".") ? host !== "*" : /\.svc(\.|$)|\.cluster\.local$/.test(host);
}

/** `*.com`. */
function isTooWide(host: string): boolean {
  return /^\*\.[^.]+$/.test(host);
}

export const meshClosed = resourcePolicy(
  {
    name: "mesh-closed",
    description:
      "In the mesh, callers prove who they are and are named: mutual TLS is strict but for ports, authorizations name sources (the gateway's clients and the API server excepted), no pod or port leaves the mesh, no name of the cluster leads elsewhere, and proxies run no filters besides those that limit and count.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["isolation", "mesh"],
    remediationSteps:
      "Declare the connection (components/core/connections.ts), from which the mesh takes its policies.",
  },
  (resource, report) => {
    for (const finding of [
      ...broken(ROWS, resource),
      ...openConnections(resource),
      ...unverifiedServers(resource),
      ...anonymous(resource),
      ...patches(resource),
      ...leaving(resource),
      ...ledOut(resource),
    ]) {
      report({ resource, ...finding });
    }
  },
);

type Found = Omit<Finding, "resource">;

const isSet = (mode: unknown) => isGiven(mode) && mode !== "UNSET";

/**
 * Callers must authenticate, except at single ports of some pods. Unset inherits from the mesh,
 * whose default is PERMISSIVE (Istio's reference, PeerAuthentication).
 */
function openConnections(resource: Resource): Found[] {
  const { kind, props } = resource;
  if (kind !== "PeerAuthentication") {
    return [];
  }
  const isMesh = namespaceOf(resource).is((namespace) => namespace === ISTIO_NAMESPACE);
  const isEverywhere = selectsAll(props.get("spec", "selector"));
  const mode = props.get("spec", "mtls", "mode");
  const ports = props.get("spec", "portLevelMtls").entries();
  return [
    ...[mode]
      .filter((field) => field.is((value) => (isSet(value) ? value !== "STRICT" : isMesh && isEverywhere)))
      .map((field) => ({
        field,
        allowed: "STRICT; exceptions for callers outside the mesh per port, in portLevelMtls",
      })),
    ...ports
      .map(([, port]) => port.get("mode"))
      .filter((field) =>
        field.is((value) => isSet(value) && value !== "STRICT" && (value !== "PERMISSIVE" || isEverywhere)),
      )
      .map((field) => ({ field, allowed: "STRICT; PERMISSIVE only with a selector" })),
  ];
}

/**
 * Connections without TLS, or with TLS that accepts any server: `DISABLE` is the default of `tls`;
 * proxies of pods connect in plain text where a Secret is named for all of them (pilot,
 * `buildUpstreamClusterTLSContext`); a server name without accepted names accepts every certificate
 * of the authorities (`setAutoSniAndAutoSanValidation`). Checks without authorities depend on the
 * release (IST0128).
 */
function unverifiedServers({ kind, props, isPatch }: Resource): Found[] {
  if (kind !== "DestinationRule") {
    return [];
  }
  const isForPods = props.get("spec", "workloadSelector").is(isObject);
  return TRAFFIC.flatMap((path) => select(props, `${path}.tls`))
    .filter((tls) => tls.is(isObject))
    .flatMap((tls) => {
      const mode = tls.get("mode");
      if (mode.is((value) => (isGiven(value) ? value === "DISABLE" : !isPatch))) {
        return [{ field: mode, allowed: "ISTIO_MUTUAL, or TLS of the server" }];
      }
      if (isPatch || !mode.is(isOneOf("SIMPLE", "MUTUAL"))) {
        return [];
      }
      const [authorities, secret] = [tls.get("caCertificates"), tls.get("credentialName")];
      const names = tls.get("subjectAltNames");
      return [
        ...(secret.is((value) => !isGiven(value)) && authorities.is((value) => !isGiven(value))
          ? [{ field: authorities, allowed: "the authorities of the server's certificate: a file, or system" }]
          : []),
        ...(!isForPods && secret.is((value) => isGiven(value) && !/^configmap:\/\//.test(String(value)))
          ? [{ field: secret, allowed: "caCertificates, or a workloadSelector: other proxies connect in plain text" }]
          : []),
        ...(tls.get("sni").is(isGiven) && names.is((value) => !Array.isArray(value) || value.length === 0)
          ? [{ field: names, allowed: "the names of the server's certificate, where sni is set" }]
          : []),
      ];
    });
}

function anonymous(resource: Resource): Found[] {
  const { kind, props } = resource;
  const action = props.get("spec", "action");
  if (kind !== "AuthorizationPolicy" || !action.is((value) => !isGiven(value) || value === "ALLOW")) {
    return [];
  }
  return props
    .get("spec", "rules")
    .items()
    .filter((rule) => letsStrangersIn(rule, namespaceOf(resource)))
    .map((field) => ({ field, allowed: "sources by principal or namespace" }));
}

const COUNTING =
  /\.filters\.http\.(adaptive_concurrency|admission_control|bandwidth_limit|buffer|compressor|grpc_stats|local_ratelimit|ratelimit)\./;
/** Error format and timeouts may be patched. */
const CONNECTION_MANAGER = /\.filters\.network\.http_connection_manager\./;
const HARMLESS = [
  "@type",
  "local_reply_config",
  "stream_idle_timeout",
  "request_timeout",
  "request_headers_timeout",
  "common_http_protocol_options",
  "max_request_headers_kb",
];

/**
 * A proxy patch is code: only counting filters and error formats are allowed, because others can
 * remove authentication.
 */
function patches({ kind, props }: Resource): Found[] {
  return kind !== "EnvoyFilter"
    ? []
    : props
        .get("spec", "configPatches")
        .items()
        .filter((each) => !isHarmless(each))
        .map((field) => ({
          field,
          found: "is a patch of proxies that can take away what asks who calls, or send requests elsewhere",
          allowed: "filters added that limit or count (local_ratelimit), and local_reply_config",
        }));
}

function isHarmless(each: Field): boolean {
  const [operation, value] = [each.get("patch", "operation"), each.get("patch", "value")];
  const config = value.get("typed_config");
  const type = config.get("@type");
  const fields = config.entries().map(([name]) => name);
  if ([each, each.get("applyTo"), operation, value, config, type].some((field) => !field.is(() => true))) {
    return true;
  }
  return each.get("applyTo").is(isOneOf("HTTP_FILTER"))
    ? operation.is(isOneOf("ADD", "INSERT_BEFORE", "INSERT_AFTER", "INSERT_FIRST")) &&
        type.is((name) => COUNTING.test(String(name)))
    : each.get("applyTo").is(isOneOf("NETWORK_FILTER")) &&
        operation.is(isOneOf("MERGE")) &&
        type.is((name) => CONNECTION_MANAGER.test(String(name))) &&
        fields.every((name) => HARMLESS.includes(name));
}

const LEAVING: readonly (readonly [name: RegExp, isWrong: (value: string) => boolean])[] = [
  [/^sidecar\.istio\.io\/inject$/, (value) => value !== "true"],
  // Others add no proxy, or one without inbound connections (Istio 1.30.3, `selectTemplates`).
  [/^inject\.istio\.io\/templates$/, (value) => value !== "sidecar"],
  [/^istio\.io\/dataplane-mode$/, (value) => value === "none"],
  // A model's waypoint authenticates callers.
  [/^istio\.io\/use-waypoint$/, (value) => value === "none"],
  // An empty include list redirects nothing.
  [/^traffic\.sidecar\.istio\.io\/include/, (value) => value !== "*"],
  [/^traffic\.sidecar\.istio\.io\/exclude/, (value) => value !== ""],
  [/^ambient\.istio\.io\/bypass-inbound-capture$/, (value) => value !== "false"],
  [
    /^proxy\.istio\.io\/config$/,
    (value) =>
      /\binterceptionMode["']?\s*:\s*["']?NONE|\b(binaryPath|customConfigFile|discoveryAddress)["']?\s*:/.test(value),
  ],
  [
    /^sidecar\.istio\.io\/(interceptionMode|bootstrapOverride|userVolume|userVolumeMount|proxyImage)$/,
    (value) => !["REDIRECT", "TPROXY"].includes(value),
  ],
];

const SELECTING = /selector|^match(Labels|Expressions)$/i;

function labelsInText(field: Field): (readonly [string, Field])[] {
  const { value } = field;
  return typeof value === "string" && /istio\.io(\/|~1)/.test(value)
    ? documentsIn(field).flatMap((document) =>
        propertiesBelow(document).map(({ key, field: below }) => [key, below] as const),
      )
    : [];
}

/** Pod labels in templates and values of operators and charts. Namespaces: `mesh-members`. */
function leaving(resource: Resource): Found[] {
  if (resource.kind === "Namespace") {
    return [];
  }
  const templates = podTemplates(resource).flatMap(({ metadata }) =>
    ["labels", "annotations"].flatMap((place) => metadata.get(place).entries()),
  );
  const elsewhere = propertiesBelow(resource.kind === undefined ? chartValues(resource) : resource.props)
    .filter(({ keys }) => !keys.some((key) => SELECTING.test(key)))
    .map(({ key, field }): [string, Field] => [key, field]);
  const found = [...templates, ...elsewhere.flatMap(([key, field]) => [[key, field] as const, ...labelsInText(field)])]
    .filter(([key, field]) =>
      LEAVING.some(([name, isWrong]) => name.test(key) && field.is((value) => isWrong(String(value)))),
    )
    .map(([, field]) => ({ field, allowed: "none: whole namespaces are in the mesh, or outside" }));
  return [...new Map(found.map((each) => [each.field.path, each])).values()];
}

/** A cluster name that leads outside. Names without a dot are in the object's namespace. */
function ledOut({ kind, props }: Resource): Found[] {
  if (kind !== "VirtualService" || !select(props, "spec.hosts[]").some((host) => host.is(isOfTheCluster))) {
    return [];
  }
  return ["http", "tcp", "tls"]
    .flatMap((protocol) => select(props, `spec.${protocol}[].route[].destination.host`))
    .filter((host) => host.is((name) => typeof name === "string" && !isOfTheCluster(name)))
    .map((field) => ({ field, allowed: "a Service of the cluster" }));
}

function isOfTheCluster(host: unknown): boolean {
  return typeof host === "string" && (host === "*" || isClusterName(host));
}
