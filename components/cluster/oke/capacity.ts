import { cardCount } from "../../../catalog/shapes";
import type { CapacityProblem } from "../../../planner/types";
import type { CapacityFindings } from "../capacity-findings";
import type { OkePool } from "./settings";

/** Capacity of an availability domain. Plain data. */
export interface DomainCapacity {
  /** Name in the tenancy: "Uocm:EU-FRANKFURT-1-AD-1". */
  readonly name: string;
  /** Limits that a machine uses, by shape. Unavailable shapes are missing. */
  readonly shapes: Readonly<Record<string, readonly string[]>>;
  /** Remaining machines, GPUs, OCPUs or GB by limit. Missing if unknown. */
  readonly available: Readonly<Record<string, number>>;
}

export interface CloudCapacity {
  /** By number, from 1. */
  readonly domains: Readonly<Record<number, DomainCapacity>>;
  /** Nodes already counted in limits, by pool; not counted if their shape differs from the plan. */
  readonly running: Readonly<Record<string, { readonly shape: string; readonly nodes: number }>>;
}

/**
 * Amount of a limit that one machine uses. Undefined for limits of a region or of reservations.
 * Names: docs.oracle.com, Quotas/Concepts/resourcequotas_topic-Compute_Quotas, page of 2026-09-05,
 * read 2026-11-23: `…-memory-count` counts GB, `…-core-count` OCPUs, `gpu…-count` GPUs, others
 * machines.
 */
export function takenOf(limit: string, { plan: { shape } }: Pick<OkePool, "plan">): Taken | undefined {
  if (/reserv|regional/.test(limit)) {
    return undefined;
  }
  if (limit.endsWith("-memory-count")) {
    return { amount: shape.memoryGiB, unit: "GB of memory" };
  }
  if (/-core(-ad)?-count$/.test(limit)) {
    return shape.cpu.ocpus === undefined ? undefined : { amount: shape.cpu.ocpus, unit: "OCPUs" };
  }
  if (/^gpu.*-count$/.test(limit)) {
    return { amount: shape.gpu ? cardCount(shape.gpu) : 0, unit: "GPUs" };
  }
  return /^(bm|vm)-.*-count$/.test(limit) ? { amount: 1, unit: "machines" } : undefined;
}

interface Taken {
  readonly amount: number;
  readonly unit: string;
}

/** Checks capacity for the initial and the maximum nodes of pools. */
export function capacityFindings(pools: readonly OkePool[], cloud: CloudCapacity): CapacityFindings {
  const problems = pools.flatMap((pool) => placeProblems(pool, cloud));
  const placed = pools.filter((pool) => placeProblems(pool, cloud).length === 0);
  const now = shortages(placed, cloud, ({ plan }) => plan.minNodes);
  const later = shortages(placed, cloud, ({ plan }) => plan.maxNodes);
  return {
    problems: [...problems, ...now.map((shortage) => asProblem(shortage, cloud))],
    notes: [
      ...new Set([
        ...placed.flatMap((pool) => unknowns(pool, cloud)),
        ...later
          .filter((shortage) => !now.some((other) => sameLimit(other, shortage)))
          .map((shortage) => `room for minNodes, but not for maxNodes: ${said(shortage, cloud)}`),
      ]),
    ],
  };
}

/** A pool whose shape or domain the region does not offer. */
function placeProblems(pool: OkePool, { domains }: CloudCapacity): CapacityProblem[] {
  const { name, shape } = pool.plan;
  return pool.availabilityDomains.flatMap((number): CapacityProblem[] => {
    const domain = domains[number];
    if (domain === undefined) {
      return [
        {
          severity: "mandatory",
          rule: "cloud-capacity",
          subject: `pools.${name}.availabilityDomains`,
          message: `the region has no availability domain ${number}; it has ${listed(Object.keys(domains))}`,
        },
      ];
    }
    if (domain.shapes[shape.name] !== undefined) {
      return [];
    }
    const elsewhere = Object.entries(domains).filter(([, other]) => other.shapes[shape.name] !== undefined);
    const remedy =
      elsewhere.length > 0
        ? `availability domain ${listed(elsewhere.map(([other]) => other))} offers it: pools.${name}.availabilityDomains`
        : "no availability domain of the region offers it: another shape, or another region";
    return [
      {
        severity: "mandatory",
        rule: "cloud-capacity",
        subject: `pools.${name}`,
        message: `${shape.name} is not offered to this tenancy in ${domain.name}; ${remedy}`,
      },
    ];
  });
}

interface Shortage {
  readonly limit: string;
  readonly domain: number;
  readonly unit: string;
  readonly needed: number;
  readonly available: number;
  /** Nodes by pool. */
  readonly nodes: ReadonlyMap<string, number>;
}

/**
 * Limits that additional nodes would exceed. OKE spreads nodes evenly over domains; a remainder
 * goes to the largest capacity, so that possible placements are never refused.
 */
function shortages(
  pools: readonly OkePool[],
  cloud: CloudCapacity,
  wanted: (pool: OkePool) => number,
): readonly Shortage[] {
  const used = new Map<string, Shortage>();
  const take = (pool: OkePool, number: number, nodes: number) => {
    for (const { limit, available, amount, unit } of limitsOf(pool, cloud, number)) {
      const key = `${number} ${limit}`;
      const { name } = pool.plan;
      const before = used.get(key);
      const of = before?.nodes ?? new Map<string, number>();
      used.set(key, {
        limit,
        domain: number,
        unit,
        available,
        needed: (before?.needed ?? 0) + nodes * amount,
        nodes: new Map([...of, [name, (of.get(name) ?? 0) + nodes]]),
      });
    }
  };
  /** Additional nodes of the pool that a domain's scarcest limit allows. */
  const room = (pool: OkePool, number: number) =>
    Math.min(
      ...limitsOf(pool, cloud, number).map(
        ({ limit, available, amount }) =>
          (available - (used.get(`${number} ${limit}`)?.needed ?? 0)) / Math.max(amount, Number.EPSILON),
      ),
      Number.MAX_SAFE_INTEGER,
    );
  const missing = pools
    .filter(({ capacity }) => typeof capacity !== "object")
    .map((pool) => ({ pool, nodes: Math.max(0, wanted(pool) - runningNodes(pool, cloud)) }))
    .filter(({ nodes }) => nodes > 0);
  for (const { pool, nodes } of missing) {
    const each = Math.floor(nodes / pool.availabilityDomains.length);
    for (const number of pool.availabilityDomains) {
      take(pool, number, each);
    }
  }
  for (const { pool, nodes } of missing) {
    const byRoom = [...pool.availabilityDomains].sort((a, b) => room(pool, b) - room(pool, a));
    for (const number of byRoom.slice(0, nodes % pool.availabilityDomains.length)) {
      take(pool, number, 1);
    }
  }
  return [...used.values()].filter(({ needed, available }) => needed > available);
}

/** Known limits that a machine of a pool uses in a domain. */
function limitsOf(pool: OkePool, { domains }: CloudCapacity, number: number) {
  const domain = domains[number];
  return (domain?.shapes[pool.plan.shape.name] ?? []).flatMap((limit) => {
    const taken = takenOf(limit, pool);
    const available = domain?.available[limit];
    return taken === undefined || available === undefined ? [] : [{ limit, available, ...taken }];
  });
}

/** Nodes of the planned shape only: on a shape change, new nodes start before old ones end. */
function runningNodes({ plan }: OkePool, { running }: CloudCapacity): number {
  const found = running[plan.name];
  return found?.shape === plan.shape.name ? found.nodes : 0;
}

function unknowns(pool: OkePool, cloud: CloudCapacity): string[] {
  const { name, shape } = pool.plan;
  if (typeof pool.capacity === "object") {
    return [];
  }
  return pool.availabilityDomains
    .filter((number) => limitsOf(pool, cloud, number).length === 0)
    .map(
      (number) =>
        `pools.${name}: OCI did not report what is left of the limits of ${shape.name} in ${cloud.domains[number]?.name}; whether its nodes can be had shows when they are made`,
    );
}

function asProblem(shortage: Shortage, cloud: CloudCapacity): CapacityProblem {
  const [first = ""] = shortage.nodes.keys();
  return {
    severity: "mandatory",
    rule: "cloud-capacity",
    subject: `pools.${first}`,
    message: `${said(shortage, cloud)}. Ask for a higher limit (Console: Limits, Quotas and Usage, service compute), write fewer minNodes, another availability domain or shape, or a capacity reservation (pools.${first}.capacity)`,
  };
}

function said({ limit, domain, unit, needed, available, nodes }: Shortage, { domains }: CloudCapacity): string {
  const pools = [...nodes].filter(([, count]) => count > 0).map(([pool, count]) => `${pool}: ${count}`);
  const place = domains[domain]?.name ?? String(domain);
  return `${needed} ${unit} more are needed in ${place} (nodes of ${pools.join(", ")}), and ${available} are left of ${limit}`;
}

function sameLimit(a: Shortage, b: Shortage): boolean {
  return a.limit === b.limit && a.domain === b.domain;
}

function listed(words: readonly string[]): string {
  return words.join(", ") || "none";
}
