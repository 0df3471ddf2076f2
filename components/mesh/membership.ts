/** Which namespaces are in the mesh, and what guards them there. */
import type { Labels } from "../../names/labels";
import type { Connections } from "../core/connections";
import type { MeshMembership } from "../core/mesh-membership";
import { authorizationPolicies } from "./authorization-policies";
import type { Members } from "./members";
import type { MeshMode } from "./mode";
import { peerAuthentications } from "./peer-authentications";
import { behindWaypoint, type Requests, requestGuards } from "./request-guards";
import { WAYPOINT_USE, waypoint } from "./waypoint";

/** By mode: what takes a namespace in, and what says of one that it stays out, so that people see that it is meant. */
const LABELS: Readonly<Record<MeshMode, { readonly inside: Labels; readonly outside: Labels }>> = {
  ambient: {
    inside: { "istio.io/dataplane-mode": "ambient" },
    outside: { "istio.io/dataplane-mode": "none" },
  },
  sidecar: {
    inside: { "istio-injection": "enabled" },
    outside: { "istio-injection": "disabled" },
  },
};

/**
 * What the platform's namespaces take of the mesh.
 *
 * @param declared who connects to whom, without what the mesh itself needs.
 * @param requests rules about requests to models. @default none
 */
export function meshMembership(
  members: Members,
  declared: Connections,
  requests: Requests = { rules: {}, models: [], waypoints: [] },
): MeshMembership {
  const { inside, outside } = LABELS[members.mode];
  const known = new Set([...members.inside, ...members.outsiders.map(({ namespace }) => namespace)]);
  return {
    labelsOf: (namespace) => {
      if (!known.has(namespace)) {
        throw new Error(
          `namespace "${namespace}" is in no list of the platform's: name it in stacks/platform-namespaces.ts`,
        );
      }
      const use = requests.waypoints.includes(namespace) ? WAYPOINT_USE : {};
      return members.isInMesh(namespace) ? { ...inside, ...use } : outside;
    },
    guardsOf: (namespace) => {
      if (!members.isInMesh(namespace)) {
        return [];
      }
      const seen = requests.waypoints.includes(namespace) ? behindWaypoint(namespace, declared, members) : declared;
      return [
        ...peerAuthentications(namespace, declared, members),
        ...authorizationPolicies(namespace, seen, members),
        ...requestGuards(namespace, declared, members, requests),
      ];
    },
    proxiesOf: (namespace) => (requests.waypoints.includes(namespace) ? [waypoint()] : []),
  };
}
