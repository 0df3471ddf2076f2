/** Authorization of connections to pods of a namespace in the mesh. */
import type { IAuthorizationPolicy } from "@kubernetes-models/istio/security.istio.io/v1/AuthorizationPolicy";
import { ANNOTATIONS, type Labels } from "../../names/labels";
import type { Connection, Connections } from "../core/connections";
import { DEFAULT_DENY, policyName, reasons } from "../core/network-policies";
import { type Rule, sourcesOf, tcpPorts } from "./callers";
import { type Guard, guard } from "./guard";
import type { Members } from "./members";
import { isWaypoint } from "./requests";

/**
 * AuthorizationPolicies of a namespace: a default deny, and one per further pod selection with
 * incoming connections, named like the NetworkPolicies.
 *
 * ALLOW policies are additive: any matching rule admits a connection, and a selected pod denies all
 * others. Ports are the pod's, in the tunnel or in plain text (ztunnel 1.30.3, inbound.rs replaces
 * the tunnel's port first).
 */
export function authorizationPolicies(
  namespace: string,
  connections: Connections,
  members: Pick<Members, "isInMesh">,
): Guard[] {
  return connections.of(namespace).flatMap(({ podLabels, incoming }) => {
    const carried = incoming.filter((connection) => tcpPorts(connection)?.length !== 0);
    const all = Object.keys(podLabels).length === 0;
    // Waypoints ignore policies with pod selectors.
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
        ? "No workload connects to a pod here except through the connections of this namespace's policies"
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

/** A rule without `from` matches any source; without `to`, all ports. */
export function ruleOf(connection: Connection, members: Pick<Members, "isInMesh">): Rule {
  const sources = sourcesOf(connection.from, members);
  const ports = tcpPorts(connection);
  return {
    ...(sources && { from: sources.map((source) => ({ source })) }),
    ...(ports && { to: [{ operation: { ports: ports.map(String) } }] }),
  };
}
