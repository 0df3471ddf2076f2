/**
 * The rule of the budget. The planner judges by it what it plans, and a policy of the same name what a stack records, which
 * somebody may have changed: whoever reports both says it once.
 */
export const MONTHLY_BUDGET = "monthly-budget";

/** The rule of service levels: the planner refuses what it does not keep, and a policy of the same name what a stack records. */
export const SERVICE_LEVEL = "service-level";

/** The rule of promised availability: the planner refuses what replicas and their places do not keep. */
export const AVAILABILITY = "availability";
