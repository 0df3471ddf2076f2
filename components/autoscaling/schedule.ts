import type { ScheduledReplicas } from "../../planner/scaling";
import type { Trigger } from "./keda-types";

/** Minimum replicas by schedule, regardless of demand. They wake sleeping models. */
export function scheduleTriggers(schedule: readonly ScheduledReplicas[]): Trigger[] {
  return schedule.map(({ from, to, timezone, replicas }, index) => ({
    type: "cron",
    name: `schedule-${index}`,
    metadata: { timezone, start: from, end: to, desiredReplicas: String(replicas) },
  }));
}
