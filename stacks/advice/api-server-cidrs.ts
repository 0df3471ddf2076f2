import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** What a reader of the plan must know of its NetworkPolicies: what the platform could not find out by itself. */
export function apiServerCidrs({
  environment: { stage, cluster },
}: {
  readonly environment: Pick<EnvironmentConfig, "stage" | "cluster">;
}): CapacityProblem[] {
  // Who makes the cluster says them.
  const isSaid = cluster.apiServerCidrs.length > 0 || cluster.provision !== "existing";
  if (stage !== "production" || isSaid) {
    return [];
  }
  return [
    {
      severity: "advisory",
      rule: "api-server-cidrs",
      subject: "cluster.apiServerCidrs",
      message:
        'not set: pods that use the Kubernetes API (controllers, Prometheus, Grafana, model control, sync Jobs) may connect to ports 443 and 6443 of every address. List the networks of the API server: "kubectl -n default get service/kubernetes endpointslice/kubernetes" shows its addresses; where a cloud moves them (EKS), the subnets that they come from.',
    },
  ];
}
