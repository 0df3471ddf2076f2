import { LIMITS } from "../../../cli/cluster/cluster-api";
import type { FleetMeans } from "../../../cli/fleet";
import type { DoJobs } from "../../../cli/fleet/pool";
import { outcomeOf } from "../../../cli/fleet/worker";

/** Jobs and what comes of them as text in between, as between processes. */
const doHere: DoJobs = async (jobs, { onOutcome }) => {
  for (const job of jobs) {
    onOutcome(job, JSON.parse(JSON.stringify(await outcomeOf(JSON.parse(JSON.stringify(job))))));
  }
};

/** What `fleet` works with, without processes of its own: two take three seconds of a core to start. */
export const here: FleetMeans = { doJobs: doHere, limits: LIMITS };
