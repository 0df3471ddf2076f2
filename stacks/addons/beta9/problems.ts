import type { CapacityProblem } from "../../../planner/types";
import type { Beta9Config } from "./config";

/** What a reader of the plan must know of Beta9, and the consent without which it is not installed. */
export function beta9Problems({ acknowledgeClusterAdmin }: Beta9Config): CapacityProblem[] {
  return acknowledgeClusterAdmin ? [LICENCE] : [CLUSTER_ADMIN, LICENCE];
}

const LICENCE: CapacityProblem = {
  severity: "advisory",
  rule: "beta9-licence",
  subject: "beta9",
  message:
    "Beta9 is licensed under AGPL-3.0: whoever lets others use a changed Beta9 over a network must offer them its source. The rest of the platform is not affected.",
};

const CLUSTER_ADMIN: CapacityProblem = {
  severity: "mandatory",
  rule: "beta9-cluster-admin",
  subject: "beta9.acknowledgeClusterAdmin",
  message:
    'the chart of Beta9 gives its gateway the ClusterRole "beta9-role": get, list, watch, create, update, patch and delete on every resource of every API group, Secrets of all namespaces included. Who takes over the gateway has the cluster. Set acknowledgeClusterAdmin: true to accept that, or remove the section beta9.',
};
