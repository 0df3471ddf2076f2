import type { CapacityProblem } from "../../../planner/types";
import { networkProblems, tlsServerProblems } from "../../config/core/outside-url";
import type { Rule } from "../../config/core/rule";
import { NAMESPACE } from "../../config/core/schema";
import type { PortainerConfig } from "./config";

type Own = { readonly portainer?: PortainerConfig };

export const serverIsOutside: Rule<Own> = function* ({ sections: { portainer, stage } }) {
  if (portainer?.mode === "edge") {
    const { url, networks } = portainer;
    const why = "who answers in its place has the agent's rights in the cluster, which are all";
    yield* tlsServerProblems(["portainer"], { url, networks }, stage, why);
  } else {
    yield* networkProblems(["portainer"], portainer?.networks ?? []);
  }
};

/**
 * Prerequisites of the agent. The edge key is no rule of the file, which `npm run portainer` reads
 * to fetch it.
 */
export function portainerProblems(
  { mode, acknowledgeClusterAdmin }: PortainerConfig,
  hasEdgeKey: boolean,
): CapacityProblem[] {
  return [
    ...(acknowledgeClusterAdmin ? [] : [CLUSTER_ADMIN]),
    ...(mode === "direct" || hasEdgeKey ? [] : [NO_EDGE_KEY]),
  ];
}

const CLUSTER_ADMIN: CapacityProblem = {
  severity: "mandatory",
  rule: "portainer-cluster-admin",
  subject: "portainer.acknowledgeClusterAdmin",
  message:
    "Portainer's agent is bound to cluster-admin: it does what users of the Portainer server ask for, whatever it is, and asks Kubernetes for no rights of theirs. Who takes over the server has the cluster, Secrets of all namespaces included. Set acknowledgeClusterAdmin: true to accept that, or remove the section portainer.",
};

const NO_EDGE_KEY: CapacityProblem = {
  severity: "mandatory",
  rule: "portainer-edge-key",
  subject: "portainerEdgeKey",
  message: `With portainer.mode edge, the agent finds its server by an edge key, which is not set. Fetch it with npm run portainer, or copy it from the server's page, and run pulumi config set --secret ${NAMESPACE}:portainerEdgeKey.`,
};
