import { K3S_VERSION } from "../catalog/k3s";
import type { DeploymentPlan } from "../planner/types";
import type { ClusterConfig, EnvironmentConfig } from "../stacks/config";
import { type NodeMakers, nodeMakers } from "./node-makers";

/** Where the cluster of a plan comes from. */
export interface ClusterFact extends Pick<ClusterConfig, "kind" | "provision"> {
  readonly scope: EnvironmentConfig["scope"];
  /** Of the Kubernetes API, where this stack creates the cluster: elsewhere it is unknown. */
  readonly endpoint?: "private" | "public";
  readonly region?: string;
  /** The machine that becomes the cluster, by its address. */
  readonly machine?: string;
  /** What makes it in a container of the computer that it is deployed from. */
  readonly tool?: string;
  /** The stack that made it. */
  readonly stack?: string;
  /** Who creates its nodes, where pools differ. */
  readonly nodes?: readonly NodeMakers[];
}

export function clusterFact(
  environment: Pick<EnvironmentConfig, "cluster" | "scope" | "pools">,
  plan: Pick<DeploymentPlan, "pools" | "models">,
): ClusterFact {
  const { cluster, scope } = environment;
  const { kind, provision, stackReference } = cluster;
  const made = madeHere(cluster);
  const machine = machineOf(cluster);
  const nodes = nodeMakers(environment, plan);
  return {
    kind,
    provision,
    scope,
    ...(machine !== undefined && { machine }),
    ...(made && { endpoint: made.endpoint.public ? "public" : "private", region: made.region }),
    ...(cluster.kind === "local" && cluster.local && { tool: cluster.local.tool }),
    ...(stackReference !== undefined && { stack: stackReference }),
    ...(nodes && { nodes }),
  };
}

/** The section of the cluster that this stack makes. */
function madeHere(cluster: EnvironmentConfig["cluster"]) {
  switch (cluster.kind) {
    case "oci":
      return cluster.oke;
    case "aws":
      return cluster.eks;
    default:
      return undefined;
  }
}

/** Address of the machine that this stack makes a cluster of. */
function machineOf(cluster: EnvironmentConfig["cluster"]): string | undefined {
  return cluster.kind === "edge" ? Object.values(cluster.hosts ?? {})[0]?.address : undefined;
}

/** Who makes the cluster, and where. */
export function clusterText({ kind, provision, scope, endpoint, region, stack, machine, tool }: ClusterFact): string {
  switch (provision) {
    case "create": {
      const alone = scope === "cluster" ? " and nothing else" : "";
      if (tool !== undefined) {
        return `${kind}, made by this stack${alone} with ${tool} on the computer that it is deployed from`;
      }
      return machine === undefined
        ? `${kind} in ${region}, made by this stack${alone}; ${endpoint} endpoint`
        : `${kind}, k3s ${K3S_VERSION} on ${machine}, installed by this stack${alone}`;
    }
    case "stack":
      return `${kind}, made by stack ${stack}; what that stack says of it is assumed here, because a plan connects to nothing`;
    case "existing":
      return `${kind}, exists: nothing of it is made here`;
  }
}
