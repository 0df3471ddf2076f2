import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** From the program or another stack's outputs. k3s and local clusters use the machine's. */
const SAID: Readonly<Record<EnvironmentConfig["cluster"]["provision"], readonly string[]>> = {
  existing: [],
  create: ["aws", "oci"],
  stack: ["aws", "oci", "edge", "local"],
};

/** What NetworkPolicies need and the platform could not detect. */
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
