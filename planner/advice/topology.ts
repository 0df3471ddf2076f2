import { okeBlockFields } from "../../catalog/oke";
import type { Provider } from "../../catalog/shapes";
import type { Replanning } from "../fixes/setting";
import { hostsOf } from "../shared-servers";
import type { CapacityProblem } from "../types";

/**
 * Replicas that each want a block of the RDMA network: only the cloud knows a block's nodes. The
 * group controller places leaders first, and workers wait forever where the leader's block is full.
 */
export function topology({ request, plan }: Pick<Replanning, "request" | "plan">): CapacityProblem[] {
  return hostsOf(plan.models).flatMap(({ name, pool, nodesPerReplica, maxReplicas, nodeLink }): CapacityProblem[] => {
    const label = nodeLink?.topologyLabel;
    if (label === undefined) {
      return [];
    }
    const made = request.pools.find((each) => each.name === pool && each.nodesMadeHere);
    const setter = made === undefined ? "" : ` ${setterOf(label, made.shape.provider)}`;
    const blocks = `${maxReplicas} value(s) of ${label}`;
    return [
      {
        severity: "advisory",
        rule: "network-blocks",
        subject: `pools.${pool}.rdma.topologyLabel`,
        message: `${name} needs ${blocks} among the nodes of the pool, each on ${nodesPerReplica} free nodes or more: a replica shares its value with no other, and waits where the value that it began in has too few nodes. Look before it is deployed: kubectl get nodes -L ${label}.${setter}`,
      },
    ];
  });
}

/** What sets the label on provisioned nodes. */
function setterOf(label: string, provider: Provider): string {
  return provider === "oci" && okeBlockFields(label) !== undefined
    ? "Nodes get it when they boot, from their metadata: a machine whose metadata names no block gets none, and no replica."
    : "Nothing that makes these nodes sets that label, and a node without it gets no replica: install what does before the models (two stacks: scope, docs/clusters.md), or remove topologyLabel.";
}
