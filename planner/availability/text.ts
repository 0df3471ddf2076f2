import type { PoolRequest } from "../request";
import type { AvailabilityPlan } from "./spread";

type ZonedPool = Pick<PoolRequest, "name" | "shape" | "zoneSetting">;

/** `99.95 %`, never rounded up: rounding must not keep a promise. */
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

/**
 * The setting for the zones of a pool: `pools.gpu.uptime.zones: 3 (…)`, `3 domains in
 * pools.gpu.availabilityDomains`.
 */
export function zonesText({ name, shape, zoneSetting }: ZonedPool, zones: number): string {
  switch (zoneSetting ?? (shape.provider === "onprem" ? "uptime.zones" : undefined)) {
    case "uptime.zones":
      return `pools.${name}.uptime.zones: ${zones} (zones or sites that its nodes are in)`;
    case "zones":
      return `${zones} zones in pools.${name}.zones, each also in cluster.eks.zones`;
    case "availabilityDomains":
      return `${zones} domains in pools.${name}.availabilityDomains`;
    default:
      return `nodes of pool "${name}" in ${zones} zones`;
  }
}
