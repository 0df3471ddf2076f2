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
