/**
 * Part of every PodDisruptionBudget. Kubernetes' default, IfHealthyBudget, lets an unready pod be evicted only while enough others are
 * ready: a single replica that never gets ready holds its node for ever (`kubectl drain`, Karpenter, a node pool's cycling). What is not
 * ready serves no one. KEP-3017, stable since Kubernetes 1.31; eviction.go of 1.36.3.
 */
export const EVICTS_UNREADY_PODS = { unhealthyPodEvictionPolicy: "AlwaysAllow" } as const;

/** One pod at a time, and unready ones whenever their node must go. */
export const ONE_AT_A_TIME = { maxUnavailable: 1, ...EVICTS_UNREADY_PODS } as const;

/** The same for budgets that Envoy Gateway writes: it has no field for the policy. */
export const ENVOY_GATEWAY_BUDGET = {
  maxUnavailable: 1,
  patch: { type: "StrategicMerge", value: { spec: EVICTS_UNREADY_PODS } },
} as const;
