import type { ScheduledReplicas } from "../../planner/scaling";
import type { Trigger } from "./keda-types";

/** Replicas that run at least in each of these times, before anybody asks. They wake a model that sleeps. */
export function scheduleTriggers(schedule: readonly ScheduledReplicas[]): Trigger[] {
  return schedule.map(({ from, to, timezone, replicas }, index) => ({
    type: "cron",
    name: `schedule-${index}`,
    metadata: { timezone, start: from, end: to, desiredReplicas: String(replicas) },
  }));
}
