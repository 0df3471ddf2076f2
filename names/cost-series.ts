/** Recorded series of what an environment costs, which rules record and `npm run cost` reads. All are US dollars in an hour. */
export const COST_SERIES = {
  /** Mean of a month as planned, by `pool`; what is billed in addition to machines is the pool `__shared__`. */
  planned: "inference:planned_cost:usd_per_hour",
  /** Nodes that are there, by `pool`, `role` and `node`. */
  node: "inference:node_cost:usd_per_hour",
  /** What a model's pods claim of nodes, by `namespace`, `model` and `pool`: allocation, as OpenCost calls it. */
  model: "inference:model_cost:usd_per_hour",
  /** What of that its GPUs were busy for: usage. */
  used: "inference:model_used_cost:usd_per_hour",
  /** What no model claims, by `pool` and `role`. */
  unclaimed: "inference:unclaimed_cost:usd_per_hour",
  /** By `tenant` and `model`. */
  tenant: "inference:tenant_cost:usd_per_hour",
  /** All of it. */
  total: "inference:cost:usd_per_hour",
} as const;

/** Tokens in a second, by `tenant` and `model`: what tenants share a model's cost by. */
export const TENANT_TOKENS_SERIES = "inference:tenant_tokens:rate1h";

/** What is nobody's in particular, as OpenCost names it (core/pkg/opencost/allocation.go). */
export const OF_NOBODY = {
  /** Nodes of models that no model claims. */
  idle: "__idle__",
  /** Claimed by a model in an hour in which no tenant used a token of it, or that counts none. */
  unallocated: "__unallocated__",
  /** The platform itself: its nodes, and what is billed in addition to machines. */
  shared: "__shared__",
} as const;
