/** ConfigMap with a stack's plan, for policies, reports and operators. */
export const PLAN_CONFIG_MAP = { namespace: "inference-system", name: "inference-plan", key: "plan.json" } as const;
