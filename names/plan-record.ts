/** Where a stack publishes its plan: the ConfigMap that policies, reports and operators read. */
export const PLAN_CONFIG_MAP = { namespace: "inference-system", name: "inference-plan", key: "plan.json" } as const;
