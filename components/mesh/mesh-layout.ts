import type { TokenIssuer } from "../../planner/tenants";
import { type Connection, Connections } from "../core/connections";
import type { MeshMembership } from "../core/mesh-membership";
import type { ClusterNetworks } from "../core/network";
import { withMesh } from "./connections";
import { type MeshScope, meshMembers } from "./members";
import { meshMembership } from "./membership";
import { type ModelServer, modelPods, requestRules, waypointNamespaces } from "./requests";
import { issuerConnections } from "./tokens";
import { waypointConnections } from "./waypoint";

export interface MeshLayoutArgs extends MeshScope {
  readonly endpoints: readonly ModelServer[];
  /** Request limit per proxy of a model. @default that of `requestRules` */
  readonly requestsPerSecond?: number | undefined;
  /** @default no tokens accepted */
  readonly tokenIssuer?: TokenIssuer | undefined;
  readonly networks: ClusterNetworks;
}

export interface MeshLayout {
  /** All connections, including those of the mesh. */
  readonly connections: readonly Connection[];
  readonly membership: MeshMembership;
  /** Namespaces with a waypoint Gateway, which requires the Gateway API. */
  readonly waypoints: readonly string[];
}

export function meshLayout(args: MeshLayoutArgs): MeshLayout {
  const { mode, endpoints, requestsPerSecond, tokenIssuer, networks } = args;
  const members = meshMembers(args);
  const declared = new Connections(args.declared);
  const rules = requestRules(mode, requestsPerSecond, tokenIssuer);
  const models = modelPods(endpoints);
  const waypoints = waypointNamespaces(models, rules, declared, members);
  const seesRequests = mode === "sidecar" || waypoints.length > 0;
  return {
    connections: [
      ...withMesh(args.declared, members, networks),
      ...waypointConnections(waypoints, declared, members),
      ...(seesRequests ? issuerConnections(tokenIssuer, networks) : []),
    ],
    membership: meshMembership(members, declared, { rules, models, waypoints }),
    waypoints,
  };
}
