import type { FlexPrice, MachineShape } from "../catalog/shapes";
import type { CostPlan, ServiceCost } from "./types";

/** Hours of an average month in cloud price lists. */
export const HOURS_PER_MONTH = 730;

/** Of something that always runs. */
export function monthlyUsd(usdPerHour: number): number {
  return usdPerHour * HOURS_PER_MONTH;
}

export interface BilledPool {
  readonly name: string;
  readonly shape: MachineShape;
  /** Nodes that always run. */
  readonly nodes: number;
  /** Monthly hours of nodes that schedules start. @default 0 */
  readonly scheduledNodeHours?: number;
  readonly maxNodes: number;
  readonly usdPerNodeHour: number;
  /** Why a node's price differs from the list price. @default it does not */
  readonly priceNote?: string;
}

export interface BilledServices {
  readonly services: readonly ServiceCost[];
  readonly notPriced: readonly string[];
}

/** Services other than machines, where the environment's are unknown. */
const BESIDE_MACHINES = ["volumes", "load balancers", "network traffic", "the control plane"] as const;

/**
 * Cost of permanent and scheduled nodes and services, and with every pool at its largest. A
 * provider's monthly free allowance (OCI's Arm shapes) applies once per shape: its pools use it up
 * in turn.
 */
export function costOf(
  pools: readonly BilledPool[],
  monthlyBudgetUsd: number | undefined,
  beside: BilledServices = unknownServices(pools),
): CostPlan {
  const minimum = bills(pools, (pool) => pool.nodes * HOURS_PER_MONTH + (pool.scheduledNodeHours ?? 0));
  const maximum = bills(pools, (pool) => pool.maxNodes * HOURS_PER_MONTH);
  const items = pools.map((pool, i) => {
    const { grossUsd = 0, monthlyUsd: monthly = 0 } = minimum[i] ?? {};
    const free = grossUsd - monthly;
    const notes = [
      ...(free > 0 ? [`${pool.shape.name}: ${free.toFixed(2)} USD a month are free of charge`] : []),
      ...(pool.priceNote !== undefined ? [pool.priceNote] : []),
    ];
    return {
      name: pool.name,
      hourlyUsd: pool.nodes * pool.usdPerNodeHour,
      monthlyUsd: monthly,
      maxMonthlyUsd: maximum[i]?.monthlyUsd ?? 0,
      ...(notes.length > 0 && { note: notes.join("; ") }),
    };
  });
  const priced = [...items, ...beside.services];
  return {
    hourlyUsd: sum(priced.map((i) => i.hourlyUsd)),
    monthlyUsd: sum(priced.map((i) => i.monthlyUsd)),
    maxMonthlyUsd: sum(priced.map((i) => i.maxMonthlyUsd)),
    ...(monthlyBudgetUsd !== undefined && { monthlyBudgetUsd }),
    notPriced: beside.notPriced,
    items,
    services: beside.services,
  };
}

function unknownServices(pools: readonly BilledPool[]): BilledServices {
  const isCloud = pools.some(({ shape }) => shape.provider !== "onprem");
  return { services: [], notPriced: isCloud ? BESIDE_MACHINES : [] };
}

interface Bill {
  /** At list price. */
  readonly grossUsd: number;
  /** Without the free part. */
  readonly monthlyUsd: number;
}

function bills(pools: readonly BilledPool[], nodeHoursOf: (pool: BilledPool) => number): Bill[] {
  const allowances = new Map<string, Allowance>();
  return pools.map((pool) => {
    const hours = nodeHoursOf(pool);
    const grossUsd = hours * pool.usdPerNodeHour;
    return { grossUsd, monthlyUsd: grossUsd * (1 - freePart(pool, hours, allowances)) };
  });
}

type Allowance = NonNullable<FlexPrice["freePerMonth"]>;

/** Fraction of a pool's list price covered by the allowance, 0 to 1; reduces the allowance. */
function freePart({ shape }: BilledPool, hours: number, allowances: Map<string, Allowance>): number {
  const { price } = shape;
  if (!price || !("usdPerOcpuHour" in price)) {
    return 0;
  }
  const used = { ocpuHours: (shape.cpu.ocpus ?? 0) * hours, gbHours: shape.memoryGiB * hours };
  const left = allowances.get(shape.name) ?? price.freePerMonth ?? { ocpuHours: 0, gbHours: 0 };
  const free = {
    ocpuHours: Math.min(used.ocpuHours, left.ocpuHours),
    gbHours: Math.min(used.gbHours, left.gbHours),
  };
  allowances.set(shape.name, { ocpuHours: left.ocpuHours - free.ocpuHours, gbHours: left.gbHours - free.gbHours });
  const value = ({ ocpuHours, gbHours }: Allowance) => ocpuHours * price.usdPerOcpuHour + gbHours * price.usdPerGBHour;
  return value(used) > 0 ? value(free) / value(used) : 0;
}

function sum(values: readonly number[]): number {
  // Sorted, so that rounding does not depend on the order of pools.
  return [...values].sort((a, b) => a - b).reduce((total, value) => total + value, 0);
}
