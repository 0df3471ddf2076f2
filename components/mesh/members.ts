/** Mesh membership by namespace, transparent to pods. */
import { MESH_OUTSIDERS } from "../../names/mesh-members";
import { modelNamespaceName } from "../../names/namespaces";
import type { ModelPlan } from "../../planner/types";
import { type Connection, isPods } from "../core/connections";
import type { MeshMode } from "./mode";

/** Platform properties that the mesh depends on, known before deployment. */
export interface MeshScope {
  readonly mode: MeshMode;
  /** Namespaces that the platform creates; others are outside the mesh. */
  readonly namespaces: readonly string[];
  /** Declared connections, without those of the mesh. */
  readonly declared: readonly Connection[];
  readonly models: readonly Pick<ModelPlan, "name" | "nodesPerReplica">[];
}

/** A platform namespace outside the mesh, with the reason. */
export interface Outsider {
  readonly namespace: string;
  /** One sentence without a full stop. */
  readonly reason: string;
}

export interface Members {
  readonly mode: MeshMode;
  readonly inside: readonly string[];
  readonly outsiders: readonly Outsider[];
  /** False for namespaces that the platform does not create. */
  isInMesh(namespace: string): boolean;
}

/** Reason why a namespace stays outside; the first match applies. */
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

/** Pods of a namespace connect to each other on arbitrary ports. */
function isFree({ from, to, ports }: Connection, namespace: string): boolean {
  const isHere = (end: Connection["to"][number]) => isPods(end) && end.namespace === namespace;
  return ports === undefined && from.some(isHere) && to.some(isHere);
}
