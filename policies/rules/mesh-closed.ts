import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import { API_SERVER_PORTS } from "../lib/api-server-ports";
import { isWorldOpen } from "../lib/cidr";
import type { Field } from "../lib/field";
import { resourcePolicy } from "../lib/policy";
import { namespaceOf, type Resource } from "../lib/resource";
import { broken, isGiven, isOneOf, isTrue, type Row } from "../lib/rows";

const ROWS: readonly Row[] = [
  {
    on: ["PeerAuthentication"],
    path: "spec.mtls.mode",
    isWrong: isOneOf("PERMISSIVE", "DISABLE"),
    allowed: "STRICT; ports that callers outside of the mesh reach by portLevelMtls",
  },
  {
    on: ["RequestAuthentication"],
    path: "spec.jwtRules[].jwksUri",
    isWrong: (uri) => isGiven(uri) && !/^https:\/\//.test(String(uri)),
    allowed: "https://…",
  },
  {
    on: ["DestinationRule"],
    path: "spec.trafficPolicy.tls.mode",
    isWrong: isOneOf("DISABLE"),
    allowed: "ISTIO_MUTUAL, or TLS of the server",
  },
  { on: ["DestinationRule"], path: "spec.trafficPolicy.tls.insecureSkipVerify", isWrong: isTrue, allowed: "false" },
  {
    on: ["EnvoyFilter"],
    path: "spec.configPatches[].patch.operation",
    isWrong: isOneOf("REMOVE", "REPLACE"),
    allowed: "filters added to those of the mesh, which ask who calls",
  },
];

export const meshClosed = resourcePolicy(
  {
    name: "mesh-closed",
    description:
      "In the mesh, callers prove who they are and are named: mutual TLS is strict but for ports, authorizations name sources (the gateway's clients and the API server excepted), and no filter is taken out of a proxy.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["isolation", "mesh"],
    remediationSteps:
      "Declare the connection (components/core/connections.ts), from which the mesh takes its policies.",
  },
  (resource, report) => {
    for (const finding of [...broken(ROWS, resource), ...openPorts(resource), ...anonymous(resource)]) {
      report({ resource, ...finding });
    }
  },
);

interface Finding {
  readonly field: Field;
  readonly allowed: string;
}

/** Exceptions by port: callers without a certificate on some ports of some pods, never on all of a namespace's. */
function openPorts({ kind, props }: Resource): Finding[] {
  if (kind !== "PeerAuthentication") {
    return [];
  }
  const isEverywhere = props.get("spec", "selector", "matchLabels").is((labels) => !isGiven(labels));
  return props
    .get("spec", "portLevelMtls")
    .entries()
    .map(([, port]) => port.get("mode"))
    .filter((mode) => mode.is((value) => value === "DISABLE" || (value === "PERMISSIVE" && isEverywhere)))
    .map((field) => ({ field, allowed: "STRICT; PERMISSIVE only with a selector" }));
}

/** Rules that let in whoever comes. */
function anonymous(resource: Resource): Finding[] {
  const { kind, props } = resource;
  const action = props.get("spec", "action");
  if (kind !== "AuthorizationPolicy" || !action.is((value) => value === undefined || value === "ALLOW")) {
    return [];
  }
  const isGateway = namespaceOf(resource).is((namespace) => namespace === GATEWAY_NAMESPACE);
  return props
    .get("spec", "rules")
    .items()
    .filter((rule) => {
      const sources = rule.get("from").items();
      const isOpen = sources.length === 0 ? isUnbound(rule) : sources.some((from) => isAnybody(from.get("source")));
      return (
        isOpen && !(isGateway && names(rule, () => true)) && !names(rule, (port) => API_SERVER_PORTS.includes(port))
      );
    })
    .map((field) => ({ field, allowed: "sources by principal or namespace" }));
}

/** Nothing says who calls: neither a source nor a condition. */
function isUnbound(rule: Field): boolean {
  return rule.get("from").is((value) => !isGiven(value)) && rule.get("when").items().length === 0;
}

const SOURCES = ["principals", "requestPrincipals", "namespaces", "serviceAccounts", "ipBlocks", "remoteIpBlocks"];
const EXCLUDED = SOURCES.map((name) => `not${name.slice(0, 1).toUpperCase()}${name.slice(1)}`);

/** A source that leaves nobody out. That a token or certificate is asked for, whose ever, is something. */
function isAnybody(source: Field): boolean {
  const isWildcard = (value: unknown) => value === "*" || isWorldOpen(String(value));
  const narrows = (name: string) => {
    const given = source.get(name);
    return name === "requestPrincipals" || name === "principals"
      ? !given.is((value) => !isGiven(value))
      : !given.is((value) => !isGiven(value)) && !given.items().some((item) => item.is(isWildcard));
  };
  const isExcluding = EXCLUDED.some((name) => source.get(name).is(isGiven));
  const isWorld = ["ipBlocks", "remoteIpBlocks"].some((name) =>
    source
      .get(name)
      .items()
      .some((item) => item.is(isWildcard)),
  );
  return isWorld || (!isExcluding && !SOURCES.some(narrows));
}

/** Whether a rule is for ports alone, each of them such a one. */
function names(rule: Field, isSuch: (port: number) => boolean): boolean {
  const operations = rule.get("to").items();
  const ports = operations.flatMap((to) => to.get("operation", "ports").items());
  return (
    operations.length > 0 &&
    operations.every((to) => to.get("operation", "ports").items().length > 0) &&
    !ports.some((port) => port.is((value) => !isSuch(Number(value))))
  );
}
