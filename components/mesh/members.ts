/** Who is in the mesh: whole namespaces, so that no pod has to know of it. */
import { MESH_OUTSIDERS } from "../../names/mesh-members";
import { modelNamespaceName } from "../../names/namespaces";
import type { ModelPlan } from "../../planner/types";
import { type Connection, isPods } from "../core/connections";
import type { MeshMode } from "./mode";

/** What is known of a platform before anything is made, as far as the mesh depends on it. */
export interface MeshScope {
  readonly mode: MeshMode;
  /** Namespaces that the platform makes; others that connections name are somebody else's, and not in the mesh. */
  readonly namespaces: readonly string[];
  /** Who connects to whom, without what the mesh itself needs. */
  readonly declared: readonly Connection[];
  readonly models: readonly Pick<ModelPlan, "name" | "nodesPerReplica">[];
}

/** A namespace of the platform that takes no part, and why. */
export interface Outsider {
  readonly namespace: string;
  /** In one sentence without a full stop. */
  readonly reason: string;
}

export interface Members {
  readonly mode: MeshMode;
  /** Namespaces in the mesh: all of the platform's but the outsiders. */
  readonly inside: readonly string[];
  readonly outsiders: readonly Outsider[];
  /** Whether pods of a namespace are in the mesh. False for one that the platform does not make. */
  isInMesh(namespace: string): boolean;
}

/** Why a namespace stays outside in a mode; undefined where it does not. The first that answers counts. */
type Exception = (namespace: string, scope: MeshScope) => string | undefined;

const EXCEPTIONS: readonly Exception[] = [
  (namespace, { mode }) =>
    MESH_OUTSIDERS.find((outsider) => outsider.namespace === namespace && (outsider.mode ?? mode) === mode)?.reason,
  (namespace, { models }) =>
    models.some(({ name, nodesPerReplica }) => nodesPerReplica > 1 && modelNamespaceName(name) === namespace)
      ? "Pods of a replica that spans nodes compute together: NCCL cannot go through a proxy, and one that accepts every connection would hide from a worker that its leader is gone"
      : undefined,
  inSidecarMode((namespace, { declared }) =>
    declared.some((connection) => isFree(connection, namespace))
      ? "Its processes choose their ports, and a sidecar leads to those alone that a Service names"
      : undefined,
  ),
];

/** Who of a platform is in the mesh. */
export function meshMembers(scope: MeshScope): Members {
  const outsiders = scope.namespaces.flatMap((namespace): Outsider[] => {
    const reason = EXCEPTIONS.map((exception) => exception(namespace, scope)).find((found) => found !== undefined);
    return reason === undefined ? [] : [{ namespace, reason }];
  });
  const inside = scope.namespaces.filter(
    (namespace) => !outsiders.some((outsider) => outsider.namespace === namespace),
  );
  const known = new Set(inside);
  return { mode: scope.mode, inside, outsiders, isInMesh: (namespace) => known.has(namespace) };
}

function inSidecarMode(exception: Exception): Exception {
  return (namespace, scope) => (scope.mode === "sidecar" ? exception(namespace, scope) : undefined);
}

/** Pods of a namespace connect to each other on ports that nobody knows beforehand. */
function isFree({ from, to, ports }: Connection, namespace: string): boolean {
  const isHere = (end: Connection["to"][number]) => isPods(end) && end.namespace === namespace;
  return ports === undefined && from.some(isHere) && to.some(isHere);
}
