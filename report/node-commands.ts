import { MACHINE_LABEL } from "../planner/pool-labels";
import type { DeploymentPlan, PoolPlan } from "../planner/types";
import type { ClusterFact } from "./cluster";

/**
 * Commands that give nodes of a cluster that exists what pods of a pool select them by, and what keeps other pods away.
 * None for clusters that a stack makes: their nodes get both from it. No taint where every pool has GPUs: the platform's own
 * pods, which tolerate none, then run there too.
 */
export function nodeCommands(
  { name, selector, taints, shape }: Pick<PoolPlan, "name" | "selector" | "taints" | "shape">,
  { pools }: Pick<DeploymentPlan, "pools">,
  { provision }: Pick<ClusterFact, "provision">,
): string[] {
  if (provision !== "existing") {
    return [];
  }
  const node = `<node of ${name}>`;
  // A cloud sets the label of the machine itself.
  const labels = Object.entries(selector).filter(([key]) => key !== MACHINE_LABEL);
  const [taint] = taints;
  const hasRoomElsewhere = pools.some((pool) => pool.shape.gpu === undefined);
  return [
    ...(labels.length > 0
      ? [`kubectl label node ${node} ${labels.map(([key, value]) => `${key}=${value}`).join(" ")}`]
      : []),
    ...(shape.gpu && taint && hasRoomElsewhere
      ? [`kubectl taint node ${node} ${taint.key}=${taint.value ?? ""}:${taint.effect}`]
      : []),
  ];
}
