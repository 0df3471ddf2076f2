import type { ServerGroupPlan } from "../../planner/inference-nodes";
import { type Connection, connect, type PodSelection } from "../core/connections";
import type { ClusterNetworks } from "../core/network";
import { outsideEnds, serverAt } from "../core/outside";

/** Pods that are nodes, where they are. */
export interface NodePods extends PodSelection {
  /** @default they are none */
  readonly node?: { readonly group: string };
}

/** The nodes of each group, a canary's too, call their registrar. A group of somebody else's server has no pods that could. */
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
