import { ANNOTATIONS } from "../../names/labels";
import { UNCERTIFIED } from "../../planner/fabric-gate";
import { GIB, MESSAGES_GIB, PATIENCE_SECONDS, TRIAL_SECONDS } from "./fabric-trial";
import { type GatedPool, gateNamespace } from "./names";
import type { GateSettings } from "./scripts/settings.ts";

/** Timeouts of a certifier. */
export const SECONDS: GateSettings["seconds"] = {
  // Bare metal boots for 15 minutes or more; drivers follow.
  ready: 3600,
  schedule: 90,
  pull: 1800,
  run: TRIAL_SECONDS + PATIENCE_SECONDS + 60,
  retry: 6 * 3600,
  lease: 60,
  poll: 2,
};

export function gateSettings(pool: GatedPool): GateSettings {
  const { gpu } = pool.shape;
  const { device, access } = pool.fabric;
  return {
    pool: pool.name,
    namespace: gateNamespace(pool),
    nodeSelector: pool.selector,
    resources: {
      ...(gpu && { [gpu.resource]: gpu.count }),
      ...(access !== "host-network" && { [device.resource]: device.perNode }),
    },
    taint: UNCERTIFIED.key,
    annotation: ANNOTATIONS.fabricTrial,
    minNodes: pool.minNodes,
    expected: {
      smallestBytes: MESSAGES_GIB.smallest * GIB,
      largestBytes: MESSAGES_GIB.largest * GIB,
      minBusGBps: pool.fabricGate.minBusGBps,
    },
    seconds: SECONDS,
    template: `trial-${pool.name}`,
  };
}
