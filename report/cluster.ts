import type { DeploymentPlan } from "../planner/types";
import type { ClusterConfig, EnvironmentConfig } from "../stacks/config";
import { type NodeMakers, nodeMakers } from "./node-makers";

/** Where the cluster of a plan comes from. */
export interface ClusterFact extends Pick<ClusterConfig, "kind" | "provision"> {
  readonly scope: EnvironmentConfig["scope"];
  /** Of the Kubernetes API, where this stack makes the cluster: elsewhere nobody knows. */
  readonly endpoint?: "private" | "public";
  readonly region?: string;
  /** The stack that made it. */
  readonly stack?: string;
  /** Who makes its nodes, where that is told pool by pool. */
  readonly nodes?: readonly NodeMakers[];
}

export function clusterFact(
  environment: Pick<EnvironmentConfig, "cluster" | "scope" | "pools">,
  plan: Pick<DeploymentPlan, "pools" | "models">,
): ClusterFact {
  const { cluster, scope } = environment;
  const { kind, provision, stackReference } = cluster;
  const made = madeHere(cluster);
  const nodes = nodeMakers(environment, plan);
  return {
    kind,
    provision,
    scope,
    ...(made && { endpoint: made.endpoint.public ? "public" : "private", region: made.region }),
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

/** Who makes the cluster, and where. */
export function clusterText({ kind, provision, scope, endpoint, region, stack }: ClusterFact): string {
  switch (provision) {
    case "create":
      return `${kind} in ${region}, made by this stack${scope === "cluster" ? " and nothing else" : ""}; ${endpoint} endpoint`;
    case "stack":
      return `${kind}, made by stack ${stack}; what that stack says of it is assumed here, because a plan asks nobody`;
    case "existing":
      return `${kind}, exists: nothing of it is made here`;
  }
}
