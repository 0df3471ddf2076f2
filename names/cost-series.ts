/** Recorded cost series, read by `npm run cost`, in US dollars per hour. */
export const COST_SERIES = {
  /** Planned monthly mean by `pool`; costs other than machines have the pool `__shared__`. */
  planned: "inference:planned_cost:usd_per_hour",
  /** Present nodes, by `pool`, `role` and `node`. */
  node: "inference:node_cost:usd_per_hour",
  /**
   * Node resources claimed by a model's pods, by `namespace`, `model` and `pool`: OpenCost's
   * allocation.
   */
  model: "inference:model_cost:usd_per_hour",
  /** Share of that while GPUs were busy: usage. */
  used: "inference:model_used_cost:usd_per_hour",
  /** Resources that no model claims, by `pool` and `role`. */
  unclaimed: "inference:unclaimed_cost:usd_per_hour",
  /** By `tenant` and `model`. */
  tenant: "inference:tenant_cost:usd_per_hour",
  /** All of it. */
  total: "inference:cost:usd_per_hour",
} as const;

/** Tokens per second by `tenant` and `model`, the shares of a model's cost. */
export const TENANT_TOKENS_SERIES = "inference:tenant_tokens:rate1h";

/** OpenCost's names for unassigned costs (core/pkg/opencost/allocation.go). */
export const OF_NOBODY = {
  /** Model nodes not claimed by a model. */
  idle: "__idle__",
  /** Claimed by a model without token use in the hour, or without token counts. */
  unallocated: "__unallocated__",
  /** Platform nodes, and costs other than machines. */
  shared: "__shared__",
} as const;
