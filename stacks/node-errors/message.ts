import { wholeUsd } from "../../planner/advice/comparison";
import type { OtherMachine } from "../../planner/other-machines";
import type { ClusterKind, DeploymentPlan } from "../../planner/types";
import type { PoolConfig } from "../config";
import { type Shortage, shortageOf } from "./causes";

/** Failed operation on a pool's nodes. */
export interface NodeError {
  readonly pool: string;
  /** `create`, `update` or `delete`. */
  readonly operation: string;
  /** The cloud's message. */
  readonly error: string;
}

/** Facts about pools from environment and planner. */
export interface PoolFacts {
  readonly kind: ClusterKind;
  readonly pools: Readonly<Record<string, PoolConfig>>;
  readonly plan: Pick<DeploymentPlan, "pools" | "models" | "cost">;
  readonly otherMachines: (pool: string) => readonly OtherMachine[];
}

/** More names do not help. */
const MOST_MACHINES = 3;

/** Besides the cloud's error: what is missing now, what still works, and what would help. */
export function nodeErrorMessage({ pool, operation, error }: NodeError, facts: PoolFacts): string | undefined {
  const planned = facts.plan.pools.find(({ name }) => name === pool);
  if (planned === undefined || operation === "delete") {
    return undefined;
  }
  const shortage = shortageOf(facts.kind, error);
  const waiting = facts.plan.models.filter((model) => model.pool === pool).map(({ name }) => name);
  const isPlatform = planned.role === "system";
  return [
    headline(pool, planned.shape.name, operation, shortage),
    isPlatform
      ? "  The platform runs on this pool: nothing in the cluster is made or changed before it is there. What is there stays as it is."
      : `  ${waiting.length > 0 ? `Only its models wait for it: ${waiting.join(", ")}.` : "Nothing waits for it."} What was deployed before stays as it is. What this run did not get to, other pools and the platform too, comes with the next \`pulumi up\`, or in the same run with --continue-on-error.`,
    ...(shortage === undefined
      ? []
      : ["  What helps:", ...remedies(pool, shortage, facts).map((line) => `  - ${line}`)]),
  ].join("\n");
}

const WHY: Readonly<Record<Shortage, (shape: string) => string>> = {
  capacity: (shape) => `the cloud has no ${shape} to give now`,
  limit: (shape) => `a limit of the account leaves no room for more ${shape}`,
  price: (shape) => `no ${shape} is available at spot prices now`,
};

function headline(pool: string, shape: string, operation: string, shortage: Shortage | undefined): string {
  const what = operation === "create" ? "was not made" : "was not changed";
  return `pools.${pool} ${what}${shortage === undefined ? "; the error says why" : `: ${WHY[shortage](shape)}`}`;
}

function remedies(pool: string, shortage: Shortage, facts: PoolFacts): string[] {
  const { kind, pools, plan } = facts;
  const { capacity = "on-demand", availabilityDomains = [1], zones } = pools[pool] ?? {};
  const at = `pools.${pool}`;
  const machines = facts.otherMachines(pool).slice(0, MOST_MACHINES);
  return [
    shortage === "limit"
      ? `ask the cloud for a higher limit: ${kind === "oci" ? "Limits, Quotas and Usage in the console" : "Service Quotas, EC2"}; or for fewer machines: ${at}.minNodes`
      : "run `pulumi up` again later: it makes what is missing, and nothing else",
    ...(shortage === "limit" ? [] : places(kind, at, availabilityDomains, zones)),
    ...(machines.length > 0
      ? [
          `${at}.shape: a machine that holds the same models, for the whole environment (now ${wholeUsd(plan.cost.monthlyUsd)} USD a month): ${machines
            .map(({ shape, monthlyUsd }) => `${shape} (${wholeUsd(monthlyUsd)})`)
            .join(", ")}`,
        ]
      : []),
    ...(shortage === "limit" ? [] : purchases(kind, at, capacity)),
  ];
}

function places(
  kind: ClusterKind,
  at: string,
  domains: readonly number[],
  zones: readonly string[] | undefined,
): string[] {
  return kind === "oci"
    ? [`${at}.availabilityDomains: another one, where the region has more (now ${domains.join(", ")})`]
    : [`${at}.zones: others of the cluster's network${zones ? ` (now ${zones.join(", ")})` : ", one by one"}`];
}

function purchases(kind: ClusterKind, at: string, capacity: NonNullable<PoolConfig["capacity"]>): string[] {
  if (capacity === "spot") {
    return [`${at}.capacity: on-demand`];
  }
  if (capacity !== "on-demand") {
    return [];
  }
  const reserved = `${at}.capacity: {reservation: …}`;
  return [`${reserved}${kind === "aws" ? ", or {capacityBlock: …}" : ""}: machines that are kept for you`];
}

/** By logical name: `cluster-pools-h100` is of `h100`. */
export function poolOf(resource: string, pools: DeploymentPlan["pools"]): string | undefined {
  return pools
    .map(({ name }) => name)
    .filter((name) => resource.endsWith(`-${name}`))
    .sort((a, b) => b.length - a.length)[0];
}
