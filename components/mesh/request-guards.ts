import { type Connection, Connections, isPods } from "../core/connections";
import { spoken } from "../core/network-policies";
import type { Guard } from "./guard";
import { sidecarLimit, waypointLimit } from "./local-limit";
import type { Members } from "./members";
import type { ModelPods, RequestRules } from "./requests";
import { tokenGuards } from "./tokens";
import { WAYPOINT_TARGET, waypointAuthorizations, waypointPods } from "./waypoint";

export interface Requests {
  readonly rules: RequestRules;
  readonly models: readonly ModelPods[];
  readonly waypoints: readonly string[];
}

/** At a waypoint or model sidecars, the only proxies that see requests. */
export function requestGuards(
  namespace: string,
  declared: Connections,
  members: Pick<Members, "isInMesh" | "mode">,
  { rules: { tokenIssuer, requestsPerSecond }, models, waypoints }: Requests,
): Guard[] {
  const here = models.filter((pods) => pods.namespace === namespace);
  if (waypoints.includes(namespace)) {
    const ports = [...new Set(here.flatMap((pods) => pods.ports))];
    return [
      waypointAuthorizations(namespace, declared, members),
      ...(tokenIssuer ? tokenGuards(tokenIssuer, ports, { targetRefs: [{ ...WAYPOINT_TARGET }] }, "") : []),
      ...(requestsPerSecond === undefined ? [] : [waypointLimit(requestsPerSecond)]),
    ];
  }
  if (members.mode !== "sidecar") {
    return [];
  }
  return here.flatMap(({ podLabels, ports }) => {
    const suffix = `-${spoken(podLabels)}`;
    return [
      ...(tokenIssuer ? tokenGuards(tokenIssuer, ports, { selector: { matchLabels: podLabels } }, suffix) : []),
      ...(requestsPerSecond === undefined ? [] : [sidecarLimit(`limit${suffix}`, podLabels, ports, requestsPerSecond)]),
    ];
  });
}

/** Connections as agents see them: mesh traffic comes from the waypoint. */
export function behindWaypoint(
  namespace: string,
  declared: Connections,
  { isInMesh }: Pick<Members, "isInMesh">,
): Connections {
  const isMember = (end: Connection["from"][number]) => isPods(end) && isInMesh(end.namespace);
  return new Connections(
    declared.all.map((connection) =>
      connection.from.some(isMember)
        ? { ...connection, from: [waypointPods(namespace), ...connection.from.filter((end) => !isMember(end))] }
        : connection,
    ),
  );
}
