import { ZONE_LABEL, zonesNeeded } from "../planner/availability/zone-label";
import { MACHINE_LABEL } from "../planner/pool-labels";
import type { DeploymentPlan, PoolPlan } from "../planner/types";
import type { ClusterFact } from "./cluster";

/**
 * Labels and taints for nodes of an existing cluster. None for created clusters. No taint if every
 * pool has GPUs, as platform pods need a node. Zones only if replicas must spread and no cloud
 * labels them.
 */
export function nodeCommands(
  { name, selector, taints, shape }: Pick<PoolPlan, "name" | "selector" | "taints" | "shape">,
  { pools, models }: Pick<DeploymentPlan, "pools" | "models">,
  { provision, kind }: Pick<ClusterFact, "provision" | "kind">,
): string[] {
  if (provision !== "existing") {
    return [];
  }
  const node = `<node of ${name}>`;
  // A cloud sets the label of the machine itself.
  const labels = Object.entries(selector).filter(([key]) => key !== MACHINE_LABEL);
  const isOwn = kind === "edge" || kind === "local";
  const zone =
    isOwn && zonesNeeded({ name }, models) > 1 ? `kubectl label node ${node} ${ZONE_LABEL}=<its zone>` : undefined;
  const [taint] = taints;
  const hasRoomElsewhere = pools.some((pool) => pool.shape.gpu === undefined);
  return [
    ...(labels.length > 0
      ? [`kubectl label node ${node} ${labels.map(([key, value]) => `${key}=${value}`).join(" ")}`]
      : []),
    ...(zone === undefined ? [] : [zone]),
    ...(shape.gpu && taint && hasRoomElsewhere
      ? [`kubectl taint node ${node} ${taint.key}=${taint.value ?? ""}:${taint.effect}`]
      : []),
  ];
}
