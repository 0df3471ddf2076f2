import type { ServerGroupPlan } from "../../planner/inference-nodes";
import { type Connection, connect, type PodSelection } from "../core/connections";
import type { ClusterNetworks } from "../core/network";
import { outsideEnds, serverAt } from "../core/outside";

export interface NodePods extends PodSelection {
  /** @default not nodes */
  readonly node?: { readonly group: string };
}

/** Nodes of each group, including canaries, call their registrar. */
export function nodeConnections(
  groups: readonly ServerGroupPlan[],
  pods: readonly NodePods[],
  networks: Pick<ClusterNetworks, "privateCidrs">,
): Connection[] {
  return groups.flatMap(({ name, registrar }) => {
    const from = pods.filter(({ node }) => node?.group === name);
    return registrar === undefined || from.length === 0
      ? []
      : [
          connect({
            name: `node-${name}-to-registrar`,
            reason: "Nodes say to their registrar that they are there",
            from,
            to: outsideEnds(registrar, networks),
            ports: [serverAt(registrar).port],
          }),
        ];
  });
}
