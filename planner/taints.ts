import { cardResource, type MachineShape } from "../catalog/shapes";
import type { PoolRequest } from "./request";
import type { Taint } from "./types";

/** Keep other pods off GPU nodes: the vendor's customary taint, and ours for inference pools. */
export function taintsOf({ gpu }: MachineShape): Taint[] {
  if (!gpu) {
    return [];
  }
  return [
    { key: cardResource(gpu), effect: "NoSchedule" },
    { key: "dedicated", value: "inference", effect: "NoSchedule" },
  ];
}

/** Taints of the machine, and the pool's own. */
export function poolTaints({ shape, ownTaints = [] }: Pick<PoolRequest, "shape" | "ownTaints">): Taint[] {
  return [...taintsOf(shape), ...ownTaints];
}

/** A toleration without a value matches any. */
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
