import type { ControllerChart } from "../core/controller";
import { nodePlacement } from "../core/node-placement";
import { burstable, quantities } from "../core/resources";
import { nodesOf, poolsOf, type SoftwarePool } from "./software-pool";

/**
 * AMD's device plugin for all cards. AMD's operator would only add a driver, lacks Radeon support,
 * and needs its own cert-manager, a workflow engine and unpinned images (docs/decisions/0021).
 * Undefined if no pool has AMD cards.
 */
export function amdPlugin(pools: readonly SoftwarePool[]): ControllerChart | undefined {
  const amd = poolsOf("amd", pools);
  if (amd.length === 0) {
    return undefined;
  }
  return {
    chart: "amd-gpu",
    release: "amd-gpu",
    values: {
      dp: {
        resources: quantities(
          burstable(
            { cpu: 0.005, memoryGiB: 1 / 64, ephemeralStorageGiB: 1 / 64 },
            { cpu: 0.5, memoryGiB: 0.5, ephemeralStorageGiB: 1 },
          ),
        ),
      },
      labeller: { enabled: false },
      nfd: { enabled: false },
      tolerations: nodePlacement(amd.map(nodesOf)).tolerations,
      // No node selector, because the chart adds Node Feature Discovery's labels. On nodes without
      // cards, the plugin idles.
    },
  };
}
