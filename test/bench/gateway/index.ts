import type { Group } from "../group";
import { measureBodies } from "./bodies";
import { bodiesTable, requestsTable } from "./report";
import { measureRequests } from "./requests";
import { BODY_LIMIT_MIB, withStand } from "./stand";

export const gateway: Group = {
  measure: (extent, progress) => {
    progress("starting a control plane, Envoy Gateway, the AI gateway and Envoy");
    return withStand(async (stand) => {
      const requests = await measureRequests(stand, extent.comparisons, progress);
      progress("holding bodies");
      const bodies = await measureBodies(stand, extent);
      return {
        tables: [requestsTable(requests), bodiesTable(BODY_LIMIT_MIB, bodies)],
        measurements: { requests, bodies },
      };
    });
  },
};
