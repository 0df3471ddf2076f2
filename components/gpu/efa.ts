import type { ControllerChart } from "../core/controller";
import { nodePlacement } from "../core/node-placement";
import { nodesOf, type SoftwarePool } from "./software-pool";

/** Amazon's device plugin for EFA interfaces. Undefined if no pool exposes any. */
export function efaPlugin(pools: readonly SoftwarePool[]): ControllerChart | undefined {
  const efa = pools.filter(({ fabric }) => fabric?.access === "efa");
  if (efa.length === 0) {
    return undefined;
  }
  return {
    chart: "aws-efa-k8s-device-plugin",
    release: "aws-efa-k8s-device-plugin",
    values: {
      // The chart's default lists every EFA machine type.
      supportedInstanceLabels: { values: [...new Set(efa.map(({ shape }) => shape.name))].sort() },
      tolerations: nodePlacement(efa.map(nodesOf)).tolerations,
      resources: { requests: { cpu: "10m", memory: "20Mi" }, limits: { cpu: "200m", memory: "128Mi" } },
    },
  };
}
