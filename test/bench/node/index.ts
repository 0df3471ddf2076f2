import type { Group } from "../group";
import { measureNode } from "./measure";
import { nodeFailures, nodeTable } from "./report";
import { measureTraces } from "./traces";
import { tracesFailures, tracesTable } from "./traces-report";

export const node: Group = {
  measure: async (extent, progress) => {
    progress("starting Envoy beside an engine that works in steps");
    const loads = await measureNode(extent.verdicts, progress);
    progress("starting Envoys that report spans");
    const traced = await measureTraces(extent.verdicts, progress);
    return {
      tables: [nodeTable(loads), tracesTable(traced)],
      measurements: { loads, traced },
      failures: [...nodeFailures(loads), ...tracesFailures(traced)],
    };
  },
};
