import type { Group } from "../group";
import { measureNode } from "./measure";
import { nodeFailures, nodeTable } from "./report";

export const node: Group = {
  measure: async (extent, progress) => {
    progress("starting Envoy beside an engine that works in steps");
    const loads = await measureNode(extent.verdicts, progress);
    return { tables: [nodeTable(loads)], measurements: { loads }, failures: nodeFailures(loads) };
  },
};
