import type { ControllerChart } from "../core/controller";
import { nodePlacement } from "../core/node-placement";
import { burstable, quantities } from "../core/resources";
import { nodesOf, poolsOf, type SoftwarePool } from "./software-pool";

/**
 * AMD's device plugin, whatever the card. Not AMD's operator: all that it would add is a driver, which the kernel and every
 * image with ROCm have already; it knows no Radeon cards, and brings a cert-manager of its own terms, an engine for workflows
 * and images without a pinned version (docs/decisions/0021). Undefined where no pool has AMD's cards.
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
      // No labels to choose nodes by: the chart takes one set, and adds some of Node Feature Discovery. Where a node has no
      // cards, the plugin waits, and offers none.
    },
  };
}
