import { cardResource, type MachineShape } from "../catalog/shapes";
import type { PoolRequest } from "./request";
import type { Taint } from "./types";

/** GPU nodes keep other pods away: the vendor's customary taint, and ours for pools reserved to inference. */
export function taintsOf({ gpu }: MachineShape): Taint[] {
  if (!gpu) {
    return [];
  }
  return [
    { key: cardResource(gpu), effect: "NoSchedule" },
    { key: "dedicated", value: "inference", effect: "NoSchedule" },
  ];
}

/** What nodes of a pool have: taints of their machine, and their own. */
export function poolTaints({ shape, ownTaints = [] }: Pick<PoolRequest, "shape" | "ownTaints">): Taint[] {
  return [...taintsOf(shape), ...ownTaints];
}

/** Whether pods that tolerate some taints may go where others are. A toleration without a value takes every value. */
export function allTolerated(taints: readonly Taint[], tolerated: readonly Taint[]): boolean {
  return taints
    .filter(({ effect }) => effect !== "PreferNoSchedule")
    .every((taint) =>
      tolerated.some(
        ({ key, value, effect }) =>
          key === taint.key && effect === taint.effect && (value === undefined || value === taint.value),
      ),
    );
}
