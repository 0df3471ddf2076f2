import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** Clusters whose networks the program makes, or another stack's outputs say. k3s and local clusters take theirs from the machine. */
const SAID: Readonly<Record<EnvironmentConfig["cluster"]["provision"], readonly string[]>> = {
  existing: [],
  create: ["aws", "oci"],
  stack: ["aws", "oci", "edge", "local"],
};

/** What a reader of the plan must know of its NetworkPolicies: what the platform could not find out by itself. */
export function apiServerCidrs({
  environment: { cluster },
}: {
  readonly environment: Pick<EnvironmentConfig, "cluster">;
}): CapacityProblem[] {
  if (cluster.apiServerCidrs.length > 0 || SAID[cluster.provision].includes(cluster.kind)) {
    return [];
  }
  const made = cluster.kind === "edge" && cluster.provision === "create";
  return [
    {
      severity: "advisory",
      rule: "api-server-cidrs",
      subject: "cluster.apiServerCidrs",
      message: `not set: pods that use the Kubernetes API (controllers, GPU software, Prometheus, Grafana, model control, sync Jobs) may connect to ports 443 and 6443 of every address, those of private networks too. List the networks of the API server: "kubectl -n default get service/kubernetes endpointslice/kubernetes" shows its addresses${
        made ? " once k3s runs (10.43.0.1 and the machine's own)" : ""
      }; where a cloud moves them (EKS), the subnets that they come from.`,
    },
  ];
}
