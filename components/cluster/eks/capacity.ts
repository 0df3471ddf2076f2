import { type EksQuota, eksQuota } from "../../../catalog/eks";
import type { CapacityProblem } from "../../../planner/types";
import type { CapacityFindings } from "../capacity-findings";
import type { EksPool } from "./settings";

export interface EksCapacityAnswer {
  /** Zones that offer a shape, by shape. Missing if unknown. */
  readonly zones: Readonly<Record<string, readonly string[]>>;
  /** CPUs that may run at once, by quota code. Missing if unknown. */
  readonly quotas: Readonly<Record<string, number>>;
}

/** Quotas that apply to pool nodes. Reserved machines were counted at reservation. */
export function quotasOf(pools: readonly EksPool[]): readonly EksQuota[] {
  const all = pools.flatMap((pool) => quotaOf(pool) ?? []);
  return all.filter(({ code }, index) => all.findIndex((other) => other.code === code) === index);
}

function quotaOf({ capacity, plan }: EksPool): EksQuota | undefined {
  return typeof capacity === "object"
    ? undefined
    : eksQuota(plan.shape.name, capacity === "spot" ? "spot" : "onDemand");
}

/**
 * Checks quotas for initial and maximum nodes of pools. Usage is unknown: only requests above the
 * whole quota are errors.
 */
export function eksCapacityFindings(pools: readonly EksPool[], answer: EksCapacityAnswer): CapacityFindings {
  const places = pools.map((pool) => place(pool, answer));
  const quotas = quotasOf(pools).map((quota) =>
    quotaFindings(
      quota,
      pools.filter((pool) => quotaOf(pool)?.code === quota.code),
      answer.quotas[quota.code],
    ),
  );
  const all = [...places, ...quotas];
  return { problems: all.flatMap(({ problems }) => problems), notes: all.flatMap(({ notes }) => notes) };
}

const NOTHING: CapacityFindings = { problems: [], notes: [] };

/** A pool whose zones do not offer its shape. */
function place({ plan: { name, shape }, zones, groupNodes }: EksPool, answer: EksCapacityAnswer): CapacityFindings {
  const offered = answer.zones[shape.name];
  if (offered === undefined) {
    return { ...NOTHING, notes: [`pools.${name}: AWS did not report which zones have ${shape.name}`] };
  }
  const lacking = zones.filter((zone) => !offered.includes(zone));
  if (lacking.length === 0) {
    return NOTHING;
  }
  const others = offered.length === 0 ? "no zone of the region has it" : `these do: ${offered.join(", ")}`;
  if (lacking.length === zones.length) {
    return {
      ...NOTHING,
      problems: [
        problem(
          `pools.${name}.zones`,
          `${shape.name} is not offered to this account in ${lacking.join(", ")}; ${others}. Write pools.${name}.zones, with them in cluster.eks.zones, or take another shape`,
        ),
      ],
    };
  }
  return {
    ...NOTHING,
    // Karpenter uses the zones that offer the machine; a managed group needs all of its zones.
    notes:
      groupNodes > 0
        ? [`pools.${name}: ${shape.name} is not offered in ${lacking.join(", ")}; write pools.${name}.zones without it`]
        : [],
  };
}

function quotaFindings(quota: EksQuota, pools: readonly EksPool[], limit: number | undefined): CapacityFindings {
  const [first] = pools;
  if (first === undefined) {
    return NOTHING;
  }
  if (limit === undefined) {
    return {
      ...NOTHING,
      notes: [
        `AWS did not report the quota "${quota.name}" (${quota.code}); whether the nodes of ${listed(pools)} can be had shows when they are made`,
      ],
    };
  }
  const now = cpus(pools, ({ plan }) => plan.minNodes);
  const later = cpus(pools, ({ plan }) => plan.maxNodes);
  const said = (needed: number) =>
    `${needed} CPUs are needed at once (nodes of ${listed(pools)}), and the quota "${quota.name}" (${quota.code}) is ${limit}`;
  // Karpenter falls back to other capacity types when spot is unavailable.
  if (now > limit && first.capacity !== "spot") {
    return {
      ...NOTHING,
      problems: [
        problem(
          `pools.${first.plan.name}`,
          `${said(now)}. Ask for a higher one (Console: Service Quotas, Amazon EC2), or write fewer minNodes`,
        ),
      ],
    };
  }
  if (later <= limit) {
    return NOTHING;
  }
  const fits = now > limit ? "no room for minNodes as spot machines" : "room for minNodes, but not for maxNodes";
  return { ...NOTHING, notes: [`${fits}: ${said(now > limit ? now : later)}`] };
}

function cpus(pools: readonly EksPool[], nodes: (pool: EksPool) => number): number {
  return pools.reduce((sum, pool) => sum + nodes(pool) * pool.plan.shape.cpu.vcpus, 0);
}

function problem(subject: string, message: string): CapacityProblem {
  return { severity: "mandatory", rule: "cloud-capacity", subject, message };
}

function listed(pools: readonly EksPool[]): string {
  return pools.map(({ plan }) => plan.name).join(", ");
}
