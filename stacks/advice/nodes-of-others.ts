import type { CapacityProblem } from "../../planner/types";
import type { Advised } from "./advice";

/** Pools that may need more nodes on an existing cluster: nothing here adds any. */
export function nodesOfOthers({
  environment: { cluster },
  plan,
}: Pick<Advised, "environment" | "plan">): CapacityProblem[] {
  if (cluster.provision !== "existing") {
    return [];
  }
  const pools = plan.pools.filter(
    ({ name, minNodes, maxNodes, role }) =>
      role !== "system" && minNodes < maxNodes && plan.models.some(({ pool }) => pool === name),
  );
  return pools.map(
    ({ name, minNodes, maxNodes, shape }): CapacityProblem => ({
      severity: "advisory",
      rule: "nodes-of-others",
      subject: `pools.${name}.maxNodes`,
      message: `${minNodes} to ${maxNodes} nodes on a cluster that exists: this stack adds none, so that an autoscaler of your own must, or you. ${
        shape.provider === "onprem"
          ? "The time until such a node is ready is in no figure of this plan."
          : "Times of this plan count a node as the cloud's autoscaler starts one."
      }${minNodes === 0 ? " Until one is there no pod of its models starts, not even that of the first deployment." : ""}`,
    }),
  );
}
