/**
 * The default, IfHealthyBudget, evicts an unready pod only if enough others are ready: a single
 * replica that never gets ready would block a drain. KEP-3017, stable since Kubernetes 1.31;
 * eviction.go of 1.36.3.
 */
export const EVICTS_UNREADY_PODS = { unhealthyPodEvictionPolicy: "AlwaysAllow" } as const;

/** Evicts one ready pod at a time, unready pods always. */
export const ONE_AT_A_TIME = { maxUnavailable: 1, ...EVICTS_UNREADY_PODS } as const;

/** Same for budgets of Envoy Gateway, which has no field for the policy. */
export const ENVOY_GATEWAY_BUDGET = {
  maxUnavailable: 1,
  patch: { type: "StrategicMerge", value: { spec: EVICTS_UNREADY_PODS } },
} as const;
