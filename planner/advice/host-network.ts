import { DEVICE_ACCESS } from "../../catalog/fabrics";
import type { Replanning } from "../fixes/setting";
import type { CapacityProblem } from "../types";

/** Host network: NetworkPolicies and the like do not protect these pods. */
export function hostNetwork({ plan }: Pick<Replanning, "plan">): CapacityProblem[] {
  return plan.models.flatMap(({ name, pool, nodeLink }): CapacityProblem[] =>
    nodeLink?.hostNetwork
      ? [
          {
            severity: "advisory",
            rule: "host-network",
            subject: `models.${name}`,
            message: `pods of ${name} are on the network of their nodes, in privileged containers: no NetworkPolicy holds them or keeps anybody from them, and their API answers without a key on each node's own address. Keep others out with the cloud's network rules, or write pools.${pool}.rdma.access: ${DEVICE_ACCESS.roce}.`,
          },
        ]
      : [],
  );
}
