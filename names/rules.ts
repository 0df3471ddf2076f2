/**
 * Budget rule, shared by the planner and the policy of recorded stacks, which may have changed:
 * reports deduplicate by it.
 */
export const MONTHLY_BUDGET = "monthly-budget";

/** Service level rule, shared by the planner and a policy. */
export const SERVICE_LEVEL = "service-level";

/** Availability rule of the planner: replicas and their placement. */
export const AVAILABILITY = "availability";
