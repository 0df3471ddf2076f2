import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/**
 * OKE's pod network enforces no NetworkPolicy by itself (docs.oracle.com, ContEng/Tasks/contengsettingupcalico, page of
 * 2026-09-05, read 2026-11-23; the versions are those that Oracle tested there).
 */
export function unenforcedPolicies({
  environment: { cluster, scope },
}: {
  readonly environment: Pick<EnvironmentConfig, "cluster" | "scope">;
}): CapacityProblem[] {
  if (cluster.kind !== "oci" || cluster.provision !== "create" || scope === "platform") {
    return [];
  }
  return [
    {
      severity: "advisory",
      rule: "unenforced-policies",
      subject: "cluster",
      message:
        "NetworkPolicies are not enforced in a new OKE cluster until Calico runs beside Oracle's pod network: every pod reaches every other until then. Install it, policy only, by Oracle's page \"Installing Calico alongside the OCI VCN-Native Pod Networking CNI plugin\": 3.30.3 on Kubernetes 1.34, 3.31.5 on 1.35, 3.32.0 on 1.36. First scope: cluster, then Calico, then scope: platform leaves no pod without them.",
    },
  ];
}
