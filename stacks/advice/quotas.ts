import { quotasOf } from "../../planner/quotas";
import { type Tenant, tenantsOf } from "../../planner/tenants";
import type { CapacityProblem, DeploymentPlan, ModelPlan } from "../../planner/types";
import type { Advised } from "./advice";

/** Compared with token quotas. */
type Served = Pick<ModelPlan, "name" | "contextTokens" | "concurrency" | "maxReplicas"> & {
  readonly capacityTable: Pick<NonNullable<ModelPlan["capacityTable"]>, "tokensPerSecond"> | undefined;
  readonly revisionOf?: ModelPlan["revisionOf"];
};

export interface QuotasAndPlan {
  readonly tenants: readonly Tenant[];
  readonly models: readonly Served[];
  /** Hosted servers of unknown speed. */
  readonly external: readonly string[];
}

/** Token quotas beyond the plan, or below one prompt. */
export function tokenQuotas({ plan, environment }: Pick<Advised, "plan" | "environment">): CapacityProblem[] {
  return adviseOnQuotas({
    tenants: tenantsOf(environment.gateway.consumers, environment.models),
    models: plan.models,
    external: externalNames(plan),
  });
}

function externalNames({ externalModels }: Pick<DeploymentPlan, "externalModels">): string[] {
  return externalModels.map(({ name }) => name);
}

/** Pure. */
export function adviseOnQuotas(given: QuotasAndPlan): CapacityProblem[] {
  return [...promisedBeyondThePlan(given), ...given.tenants.flatMap((tenant) => smallerThanAPrompt(tenant, given))];
}

/**
 * An upper bound in favour of the quotas: every replica that may run generates for its full
 * concurrency at the published table's best single-request speed (docs/sizing.md). Silent where a
 * model has none.
 */
function promisedBeyondThePlan({ tenants, models, external }: QuotasAndPlan): CapacityProblem[] {
  const limited = tenants.filter(({ tokensPerMinute }) => tokensPerMinute !== undefined);
  const promised = sum(quotasOf(limited).flatMap(({ kind, perMinute }) => (kind === "tokens" ? [perMinute] : [])));
  const used = models.filter((model) => limited.some((tenant) => mayUse(tenant, model)));
  const speeds = used.map(tokensPerMinuteAtMost);
  const others = limited.some(({ models: named }) =>
    external.some((name) => named === undefined || named.includes(name)),
  );
  if (others || speeds.includes(undefined)) {
    return [];
  }
  const served = sum(speeds.flatMap((speed) => speed ?? []));
  return promised <= served
    ? []
    : [
        {
          severity: "advisory",
          rule: "quotas-beyond-the-plan",
          subject: "gateway.consumers",
          message: `the quotas of tokens add up to ${count(promised)} a minute; the planned replicas write at most some ${count(served)} (${used.map(({ name }) => name).join(", ")}, by the published table). If less than ${Math.round(100 - (100 * served) / promised)} % of the tokens are prompts, tenants wait in queues before their quotas are used up. To fix it: lower tokensPerMinute, or raise replicas.max.`,
        },
      ];
}

/** One prompt of full length exceeds a minute's quota. */
function smallerThanAPrompt(tenant: Tenant, { models }: QuotasAndPlan): CapacityProblem[] {
  const { name, tokensPerMinute: quota } = tenant;
  const contexts = models.filter((model) => mayUse(tenant, model)).map(({ contextTokens }) => contextTokens);
  const smallest = Math.min(...contexts);
  return quota === undefined || contexts.length === 0 || quota >= smallest
    ? []
    : [
        {
          severity: "advisory",
          rule: "quota-smaller-than-a-prompt",
          subject: `gateway.consumers.${name}`,
          message: `tokensPerMinute ${count(quota)} is less than one prompt may have (${count(smallest)} tokens at the smallest of its models): such a request is answered, and all others of that minute refused. To fix it: at least ${count(smallest)}, or a smaller contextTokens.`,
        },
      ];
}

/** Tenants use a canary's model name. */
function mayUse({ models }: Tenant, { name, revisionOf }: Served): boolean {
  return models === undefined || models.includes(revisionOf?.model ?? name);
}

function tokensPerMinuteAtMost({ capacityTable, maxReplicas, concurrency }: Served): number | undefined {
  const speed = capacityTable?.tokensPerSecond?.to;
  return speed === undefined ? undefined : 60 * speed * maxReplicas * concurrency;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function count(tokens: number): string {
  return Math.round(tokens).toLocaleString("en-US");
}
