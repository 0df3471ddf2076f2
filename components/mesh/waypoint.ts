/**
 * Proxies of an ambient mesh that see requests, in the namespaces of models: agents on nodes see connections alone. Pods, labels and
 * ports: istio/istio 1.30.3, files/waypoint.yaml of the istiod chart, 2026-11-23.
 */
import type { IGateway } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/Gateway";
import type { IAuthorizationPolicy } from "@kubernetes-models/istio/security.istio.io/v1/AuthorizationPolicy";
import { ANNOTATIONS, type Labels, selectorLabels, standardLabels } from "../../names/labels";
import { type Connection, type Connections, connect, isPods, type PodSelection } from "../core/connections";
import { reasons } from "../core/network-policies";
import { ruleOf } from "./authorization-policies";
import { principal } from "./callers";
import { toIstiod } from "./connections";
import { type Guard, guard } from "./guard";
import type { Members } from "./members";
import { MESH_PORTS } from "./names";
import { isWaypoint } from "./requests";
import { WAYPOINT_LABELS } from "./targets";

/** Name of the Gateway, and so of the waypoint's account. */
export const WAYPOINT = "waypoint";

/** What policies about requests name in place of pods: waypoints take no notice of selectors. */
export const WAYPOINT_TARGET = { group: "gateway.networking.k8s.io", kind: "Gateway", name: WAYPOINT } as const;

/** What leads connections to the pods of a namespace through its waypoint. */
export const WAYPOINT_USE: Labels = { "istio.io/use-waypoint": WAYPOINT };

export function waypointPods(namespace: string): PodSelection {
  return { namespace, podLabels: WAYPOINT_LABELS, serviceAccount: WAYPOINT };
}

export function waypointPrincipal(namespace: string): string {
  return principal(namespace, WAYPOINT);
}

/** The waypoint itself, from which istiod makes pods. */
export function waypoint(): Guard {
  return guard<IGateway>({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    name: WAYPOINT,
    // Our Services have no address of their own, so that connections are to pods: a waypoint for Services would see none of them.
    labels: { ...standardLabels("waypoint", WAYPOINT), "istio.io/waypoint-for": "all" },
    spec: {
      gatewayClassName: "istio-waypoint",
      // Of its pods, beside those that istiod gives them.
      infrastructure: { labels: { ...selectorLabels("waypoint", WAYPOINT) } },
      listeners: [
        { name: "mesh", port: MESH_PORTS.tunnel, protocol: "HBONE", allowedRoutes: { namespaces: { from: "Same" } } },
      ],
    },
  });
}

/**
 * Who connects to the pods behind a waypoint, as the waypoint sees it: callers by their own identity. The agents at the pods see
 * none but the waypoint's, and so let that in.
 */
export function waypointAuthorizations(
  namespace: string,
  connections: Connections,
  members: Pick<Members, "isInMesh">,
): Guard {
  const incoming = connections
    .of(namespace)
    .filter(({ podLabels }) => !isWaypoint(podLabels))
    .flatMap((pods) => pods.incoming)
    .flatMap((connection) => amongMembers(connection, members) ?? []);
  return guard<IAuthorizationPolicy>({
    apiVersion: "security.istio.io/v1",
    kind: "AuthorizationPolicy",
    name: "allow-through-waypoint",
    annotations: {
      [ANNOTATIONS.description]: "Who connects to the pods of this namespace, as their waypoint sees it",
      [ANNOTATIONS.connections]: reasons("in", incoming).join("\n"),
    },
    spec: {
      targetRefs: [{ ...WAYPOINT_TARGET }],
      action: "ALLOW",
      ...(incoming.length > 0 && { rules: incoming.map((connection) => ruleOf(connection, members)) }),
    },
  });
}

/** A connection as far as it comes through the mesh. */
export function amongMembers(connection: Connection, { isInMesh }: Pick<Members, "isInMesh">): Connection | undefined {
  const from = connection.from.filter((end) => "anyone" in end || (isPods(end) && isInMesh(end.namespace)));
  return from.length > 0 ? { ...connection, from } : undefined;
}

/** What NetworkPolicies let through for waypoints: tunnels to them and from them, and their way to istiod. */
export function waypointConnections(
  namespaces: readonly string[],
  declared: Connections,
  { isInMesh }: Pick<Members, "isInMesh">,
): Connection[] {
  if (namespaces.length === 0) {
    return [];
  }
  return [
    ...namespaces.flatMap((namespace) => {
      const called = declared.of(namespace).filter(({ podLabels }) => !isWaypoint(podLabels));
      const from = called
        .flatMap(({ incoming }) => incoming)
        .flatMap((connection) => connection.from)
        .filter(isPods)
        .filter((end) => isInMesh(end.namespace));
      const pods = called
        .filter(({ incoming }) => incoming.length > 0)
        .map(({ podLabels }) => ({ namespace, podLabels }));
      return from.length === 0
        ? []
        : [
            connect({
              name: `callers-to-waypoint-of-${namespace}`,
              reason: "Requests to a model's pods go through the proxy of the mesh that sees requests",
              from: distinct(from),
              to: waypointPods(namespace),
              ports: [MESH_PORTS.tunnel],
            }),
            connect({
              name: `waypoint-to-${namespace}`,
              reason: "That proxy hands requests on to the pods",
              from: waypointPods(namespace),
              to: pods,
              ports: [MESH_PORTS.tunnel],
            }),
          ];
    }),
    toIstiod(
      "waypoints-to-istiod",
      "Waypoints fetch their configuration and certificates",
      namespaces.map(waypointPods),
    ),
  ];
}

function distinct(ends: readonly PodSelection[]): PodSelection[] {
  const key = ({ namespace, podLabels }: PodSelection) => JSON.stringify([namespace, Object.entries(podLabels).sort()]);
  return [...new Map(ends.map((end) => [key(end), end])).values()];
}
