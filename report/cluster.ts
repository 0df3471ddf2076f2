import type { ClusterConfig, EnvironmentConfig } from "../stacks/config";

/** Where the cluster of a plan comes from. */
export interface ClusterFact extends Pick<ClusterConfig, "kind" | "provision"> {
  readonly scope: EnvironmentConfig["scope"];
  /** Of the Kubernetes API, where this stack makes the cluster: elsewhere nobody knows. */
  readonly endpoint?: "private" | "public";
  readonly region?: string;
  /** The stack that made it. */
  readonly stack?: string;
}

export function clusterFact({ cluster, scope }: Pick<EnvironmentConfig, "cluster" | "scope">): ClusterFact {
  const { kind, provision, stackReference } = cluster;
  const oke = kind === "oci" ? cluster.oke : undefined;
  return {
    kind,
    provision,
    scope,
    ...(oke && { endpoint: oke.endpoint.public ? "public" : "private", region: oke.region }),
    ...(stackReference !== undefined && { stack: stackReference }),
  };
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
