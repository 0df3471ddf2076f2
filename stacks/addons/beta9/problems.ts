import type { CapacityProblem, DeploymentPlan } from "../../../planner/types";
import type { Beta9Config } from "./config";

/** Notes on Beta9, and the consent required to install it. */
export function beta9Problems(
  { acknowledgeClusterAdmin, gpuPools }: Pick<Beta9Config, "acknowledgeClusterAdmin" | "gpuPools">,
  { pools }: Pick<DeploymentPlan, "pools">,
): CapacityProblem[] {
  const strict = pools.filter(({ name, numa = "best-effort" }) => gpuPools.includes(name) && numa !== "best-effort");
  return [...(acknowledgeClusterAdmin ? [] : [CLUSTER_ADMIN]), ...strict.map(turnsFunctionsDown), LICENCE];
}

/** Functions choose their GPUs and CPUs: no plan knows whether a strict kubelet admits them. */
function turnsFunctionsDown({ name, numa }: DeploymentPlan["pools"][number]): CapacityProblem {
  return {
    severity: "mandatory",
    rule: "numa-policy",
    subject: `pools.${name}.numa`,
    message: `functions of Beta9 run on pools.${name} next to models, and its kubelets follow the policy ${numa}: they may turn down functions, and models that come after them, for where their CPUs and GPUs are. Write numa: best-effort there.`,
  };
}

const LICENCE: CapacityProblem = {
  severity: "advisory",
  rule: "beta9-licence",
  subject: "beta9",
  message:
    "Beta9 is licensed under AGPL-3.0: anyone who offers a modified Beta9 over a network must also offer its source. The rest of the platform is not affected.",
};

const CLUSTER_ADMIN: CapacityProblem = {
  severity: "mandatory",
  rule: "beta9-cluster-admin",
  subject: "beta9.acknowledgeClusterAdmin",
  message:
    'the chart of Beta9 gives its gateway the ClusterRole "beta9-role": get, list, watch, create, update, patch and delete on every resource of every API group, Secrets of all namespaces included. Who takes over the gateway has the cluster. Set acknowledgeClusterAdmin: true to accept that, or remove the section beta9.',
};
