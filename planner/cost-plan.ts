/** Billed services other than machines. Nodes boot from disks, pods claim volumes. */
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

export interface ServiceCost {
  readonly kind: ServiceKind;
  /** Purpose, where a kind has several. */
  readonly name: string;
  readonly count: number;
  /** Billed size of each volume: clouds have a minimum. */
  readonly sizeGiB?: number;
  readonly hourlyUsd: number;
  readonly monthlyUsd: number;
  /** All pools at maxNodes. */
  readonly maxMonthlyUsd: number;
  /** Price with source and date, and exclusions. */
  readonly note: string;
}

/** Totals of everything priced: pools and services. */
export interface CostPlan {
  /** Permanent nodes and services. */
  readonly hourlyUsd: number;
  /** Per month, including nodes that schedules start. */
  readonly monthlyUsd: number;
  /** All pools at maxNodes. */
  readonly maxMonthlyUsd: number;
  /** Limit of `monthlyUsd`. */
  readonly monthlyBudgetUsd?: number;
  /** Billed items that no figure includes. */
  readonly notPriced: readonly string[];
  /** Pools. */
  readonly items: readonly {
    readonly name: string;
    readonly hourlyUsd: number;
    readonly monthlyUsd: number;
    readonly maxMonthlyUsd: number;
    /** Free or discounted parts, and the saving of stopping it manually. */
    readonly note?: string;
  }[];
  /** Services other than machines; empty outside clouds. */
  readonly services: readonly ServiceCost[];
}
