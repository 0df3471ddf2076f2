/** Who is in the mesh: whole namespaces, so that no pod has to know of it. */
import { AWS_ACCOUNTS } from "../../names/aws";
import {
  BETA9_NAMESPACE,
  FABRIC_GATE_HOST_NAMESPACE,
  FABRIC_GATE_NAMESPACE,
  GPU_METRICS_NAMESPACE,
  GPU_SOFTWARE_NAMESPACE,
  ISTIO_NAMESPACE,
  modelNamespaceName,
  NETWORK_POLICY_NAMESPACE,
  NODE_METRICS_NAMESPACE,
  OBSERVABILITY_NAMESPACE,
  SPARE_NAMESPACE,
} from "../../names/namespaces";
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
  named(ISTIO_NAMESPACE, "It is the mesh: its agents cannot wait for themselves"),
  named(NETWORK_POLICY_NAMESPACE, "Calico's agents use the network of their nodes, which no mesh takes in"),
  named(NODE_METRICS_NAMESPACE, "node-exporter uses the network of its node, which no mesh takes in"),
  named(
    GPU_METRICS_NAMESPACE,
    "GPU exporters give figures to Prometheus alone, and must give them while the mesh on their node is broken",
  ),
  named(
    GPU_SOFTWARE_NAMESPACE,
    "Drivers and device plugins come before anything that needs a GPU, and speak to their node and the Kubernetes API alone",
  ),
  named(
    AWS_ACCOUNTS.karpenter.namespace,
    "Karpenter brings the nodes that the mesh's own agents run on, and speaks to Amazon and the Kubernetes API alone",
  ),
  named(
    AWS_ACCOUNTS.loadBalancers.namespace,
    "The controller speaks to Amazon and the Kubernetes API alone, and takes load balancers away while no mesh is left",
  ),
  named(
    FABRIC_GATE_NAMESPACE,
    "Pods of a trial compute together, as those of a replica that spans nodes: NCCL cannot go through a proxy",
  ),
  named(FABRIC_GATE_HOST_NAMESPACE, "Its pods use the network of their nodes, which no mesh takes in"),
  named(SPARE_NAMESPACE, "Its pods keep room for replicas, and nobody speaks to them"),
  named(
    BETA9_NAMESPACE,
    "Workers route the packets of their functions' containers in the network namespace of their own pod, where the mesh would take them",
  ),
  (namespace, { models }) =>
    models.some(({ name, nodesPerReplica }) => nodesPerReplica > 1 && modelNamespaceName(name) === namespace)
      ? "Pods of a replica that spans nodes compute together: NCCL cannot go through a proxy, and one that accepts every connection would hide from a worker that its leader is gone"
      : undefined,
  inSidecarMode((namespace, { declared }) =>
    declared.some((connection) => isFree(connection, namespace))
      ? "Its processes choose their ports, and a sidecar leads to those alone that a Service names"
      : undefined,
  ),
  inSidecarMode(
    named(OBSERVABILITY_NAMESPACE, "Prometheus asks pods by their addresses, to which a sidecar makes no mutual TLS"),
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

function named(name: string, reason: string): Exception {
  return (namespace) => (namespace === name ? reason : undefined);
}

function inSidecarMode(exception: Exception): Exception {
  return (namespace, scope) => (scope.mode === "sidecar" ? exception(namespace, scope) : undefined);
}

/** Pods of a namespace connect to each other on ports that nobody knows beforehand. */
function isFree({ from, to, ports }: Connection, namespace: string): boolean {
  const isHere = (end: Connection["to"][number]) => isPods(end) && end.namespace === namespace;
  return ports === undefined && from.some(isHere) && to.some(isHere);
}
