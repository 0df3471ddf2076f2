import type { PoolRequest } from "../request";
import type { AvailabilityPlan } from "./spread";

/** `99.95 %`, never rounded up: a promise is not made by rounding. */
export function percent(fraction: number): string {
  return `${Math.floor(fraction * 100_000 + 1e-4) / 1000} %`;
}

/** `99.5 % of the time (1 of 2 replicas needed, on any node)` */
export function keptText({ expected, replicas, needed, apart }: AvailabilityPlan): string {
  return `${percent(expected)} of the time (${needed} of ${replicas} needed, ${placesText(apart)})`;
}

/** `on 2 nodes in 2 zones` */
export function placesText({ nodes, zones }: AvailabilityPlan["apart"]): string {
  if (nodes === 1) {
    return "wherever there is room";
  }
  return `on ${nodes} nodes${zones > 1 ? ` in ${zones} zones` : ""}`;
}

/** `pools.gpu.uptime.zones: 3`, `nodes of pool "gpu" in 3 zones`: on machines of others a setting says where they are, those of a cloud are made there. */
export function zonesText({ name, shape }: Pick<PoolRequest, "name" | "shape">, zones: number): string {
  return shape.provider === "onprem"
    ? `pools.${name}.uptime.zones: ${zones} (zones or sites that its nodes are in)`
    : `nodes of pool "${name}" in ${zones} zones`;
}
