/** Who may connect to the pods of a namespace, as the mesh enforces it. Pure. */
import type { IAuthorizationPolicy } from "@kubernetes-models/istio/security.istio.io/v1/AuthorizationPolicy";
import { ANNOTATIONS, type Labels } from "../../names/labels";
import type { Connection, Connections } from "../core/connections";
import { DEFAULT_DENY, policyName, reasons } from "../core/network-policies";
import { type Rule, sourcesOf, tcpPorts } from "./callers";
import { type Guard, guard } from "./guard";
import type { Members } from "./members";
import { isWaypoint } from "./requests";

/**
 * The AuthorizationPolicies of a namespace: one for all its pods, which closes it, and one for each further selection of pods that
 * somebody connects to. They carry the names of the NetworkPolicies that are made of the same connections.
 *
 * Policies with action ALLOW add up: a connection passes by any rule of any policy that selects the pod, and a pod that any
 * policy selects lets nothing else in. Ports are those that the pod listens on, whether a connection comes by the mesh's
 * tunnel or in the clear (ztunnel 1.30.3, inbound.rs: the tunnel's own port is replaced before rules are asked).
 */
export function authorizationPolicies(
  namespace: string,
  connections: Connections,
  members: Pick<Members, "isInMesh">,
): Guard[] {
  return connections.of(namespace).flatMap(({ podLabels, incoming }) => {
    const carried = incoming.filter((connection) => tcpPorts(connection)?.length !== 0);
    const all = Object.keys(podLabels).length === 0;
    // Waypoints take no notice of policies that select pods.
    return (carried.length === 0 && !all) || isWaypoint(podLabels) ? [] : allow(podLabels, carried, members);
  });
}

function allow(labels: Labels, incoming: readonly Connection[], members: Pick<Members, "isInMesh">): Guard {
  const all = Object.keys(labels).length === 0;
  const listed = reasons("in", incoming).join("\n");
  return guard<IAuthorizationPolicy>({
    apiVersion: "security.istio.io/v1",
    kind: "AuthorizationPolicy",
    name: all ? DEFAULT_DENY : policyName(labels),
    annotations: {
      [ANNOTATIONS.description]: all
        ? "Nobody connects to any pod here but by the connections of this namespace's policies"
        : "Who connects to these pods, besides those who connect to every pod here",
      [ANNOTATIONS.connections]: listed,
    },
    spec: {
      ...(!all && { selector: { matchLabels: { ...labels } } }),
      action: "ALLOW",
      ...(incoming.length > 0 && { rules: incoming.map((connection) => ruleOf(connection, members)) }),
    },
  });
}

/** A rule without `from` is for everybody, one without `to` for all ports. */
export function ruleOf(connection: Connection, members: Pick<Members, "isInMesh">): Rule {
  const sources = sourcesOf(connection.from, members);
  const ports = tcpPorts(connection);
  return {
    ...(sources && { from: sources.map((source) => ({ source })) }),
    ...(ports && { to: [{ operation: { ports: ports.map(String) } }] }),
  };
}
