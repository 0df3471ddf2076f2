import type { CapacityProblem } from "../../../planner/types";
import { networkProblems, outsideProblems } from "../../config/core/outside-url";
import type { Rule } from "../../config/core/rule";
import { NAMESPACE } from "../../config/core/schema";
import type { PortainerConfig } from "./config";

type Own = { readonly portainer?: PortainerConfig };

export const edgeModeHasItsKey: Rule<Own> = function* ({ sections: { portainer }, declared }) {
  if (portainer?.mode === "edge" && !declared.secrets.includes("portainerEdgeKey")) {
    yield {
      path: ["portainerEdgeKey"],
      value: undefined,
      allowed: "a secret, with portainer.mode edge: the agent finds its server by it",
      fix: `run pulumi config set --secret ${NAMESPACE}:portainerEdgeKey`,
    };
  }
};

export const serverIsOutside: Rule<Own> = function* ({ sections: { portainer, stage } }) {
  if (portainer?.mode === "edge") {
    const { url, networks } = portainer;
    yield* outsideProblems(["portainer"], { url, networks }, stage);
  } else {
    yield* networkProblems(["portainer"], portainer?.networks ?? []);
  }
};

/** The consent without which it is not installed. */
export function portainerProblems({ acknowledgeClusterAdmin }: PortainerConfig): CapacityProblem[] {
  return acknowledgeClusterAdmin
    ? []
    : [
        {
          severity: "mandatory",
          rule: "portainer-cluster-admin",
          subject: "portainer.acknowledgeClusterAdmin",
          message:
            "Portainer's agent is bound to cluster-admin: it does what users of the Portainer server ask for, whatever it is, and asks Kubernetes for no rights of theirs. Who takes over the server has the cluster, Secrets of all namespaces included. Set acknowledgeClusterAdmin: true to accept that, or remove the section portainer.",
        },
      ];
}
