/** What a cloud bills beside machines. Disks are those that nodes boot from, volumes those that pods claim. */
export const SERVICE_KINDS = [
  "control-plane",
  "nat-gateway",
  "public-address",
  "endpoint",
  "key",
  "load-balancer",
  "volume",
  "node-disk",
] as const;
export type ServiceKind = (typeof SERVICE_KINDS)[number];

/** One thing of several that a cloud bills beside machines. */
export interface ServiceCost {
  readonly kind: ServiceKind;
  /** What it is for, where there are several of its kind. */
  readonly name: string;
  readonly count: number;
  /** What is billed of each, for volumes: clouds make no smaller ones than their least. */
  readonly sizeGiB?: number;
  readonly hourlyUsd: number;
  readonly monthlyUsd: number;
  /** With every pool at its maxNodes. */
  readonly maxMonthlyUsd: number;
  /** Its price with source and date, and what is not counted of it. */
  readonly note: string;
}

/** The totals are of all that is priced: pools and services. */
export interface CostPlan {
  /** Of the nodes that always run, and of what is billed beside them. */
  readonly hourlyUsd: number;
  /** The same for a month, and of the nodes that schedules start. */
  readonly monthlyUsd: number;
  /** With every pool at its maxNodes. */
  readonly maxMonthlyUsd: number;
  /** Limit of `monthlyUsd`. */
  readonly monthlyBudgetUsd?: number;
  /** What the bill has besides, and no figure here counts. */
  readonly notPriced: readonly string[];
  /** The pools. */
  readonly items: readonly {
    readonly name: string;
    readonly hourlyUsd: number;
    readonly monthlyUsd: number;
    readonly maxMonthlyUsd: number;
    /** What is free of charge or cheaper than the list price, and what stopping it by hand would save. */
    readonly note?: string;
  }[];
  /** What is billed beside machines; empty where nobody sends bills. */
  readonly services: readonly ServiceCost[];
}
