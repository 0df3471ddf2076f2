/**
 * Request proxies in model namespaces of an ambient mesh: node agents see only connections. Pods,
 * labels and ports: istio/istio 1.30.3, files/waypoint.yaml of the istiod chart, 2026-11-23.
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

/** Name of the Gateway and the waypoint's account. */
export const WAYPOINT = "waypoint";

/** Target of request policies: waypoints ignore selectors. */
export const WAYPOINT_TARGET = { group: "gateway.networking.k8s.io", kind: "Gateway", name: WAYPOINT } as const;

/** Routes connections to a namespace's pods through its waypoint. */
export const WAYPOINT_USE: Labels = { "istio.io/use-waypoint": WAYPOINT };

export function waypointPods(namespace: string): PodSelection {
  return { namespace, podLabels: WAYPOINT_LABELS, serviceAccount: WAYPOINT };
}

export function waypointPrincipal(namespace: string): string {
  return principal(namespace, WAYPOINT);
}

/** Gateway from which istiod creates waypoint pods. */
export function waypoint(): Guard {
  return guard<IGateway>({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    name: WAYPOINT,
    // Headless Services: connections go to pods, which a waypoint for Services would not see.
    labels: { ...standardLabels("waypoint", WAYPOINT), "istio.io/waypoint-for": "all" },
    spec: {
      gatewayClassName: "istio-waypoint",
      // Additional labels of its pods.
      infrastructure: { labels: { ...selectorLabels("waypoint", WAYPOINT) } },
      listeners: [
        { name: "mesh", port: MESH_PORTS.tunnel, protocol: "HBONE", allowedRoutes: { namespaces: { from: "Same" } } },
      ],
    },
  });
}

/**
 * Authorization at the waypoint by callers' identities. Pod agents see only the waypoint's, and
 * allow it.
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

/** The part of a connection between mesh members. */
export function amongMembers(connection: Connection, { isInMesh }: Pick<Members, "isInMesh">): Connection | undefined {
  const from = connection.from.filter((end) => "anyone" in end || (isPods(end) && isInMesh(end.namespace)));
  return from.length > 0 ? { ...connection, from } : undefined;
}

/** Network connections of waypoints: tunnels in both directions, and istiod. */
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
