import { MESH_LABELS } from "../../names/mesh-members";
import type { Connections } from "../core/connections";
import type { MeshMembership } from "../core/mesh-membership";
import { authorizationPolicies } from "./authorization-policies";
import type { Members } from "./members";
import { peerAuthentications } from "./peer-authentications";
import { behindWaypoint, type Requests, requestGuards } from "./request-guards";
import { WAYPOINT_USE, waypoint } from "./waypoint";

/**
 * Mesh membership of the platform's namespaces.
 *
 * @param declared connections without those of the mesh.
 * @param requests rules for model requests.
 * @default none
 */
export function meshMembership(
  members: Members,
  declared: Connections,
  requests: Requests = { rules: {}, models: [], waypoints: [] },
): MeshMembership {
  const { key, inside, outside } = MESH_LABELS[members.mode];
  const known = new Set([...members.inside, ...members.outsiders.map(({ namespace }) => namespace)]);
  return {
    labelsOf: (namespace) => {
      if (!known.has(namespace)) {
        throw new Error(
          `namespace "${namespace}" is in no list of the platform's: name it in stacks/platform-namespaces.ts`,
        );
      }
      const use = requests.waypoints.includes(namespace) ? WAYPOINT_USE : {};
      return members.isInMesh(namespace) ? { [key]: inside, ...use } : { [key]: outside };
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
