import { AVAILABILITY } from "../../names/rules";
import { PROMISES } from "../availability/promises";
import type { AvailabilityPlan } from "../availability/spread";
import { keepsPromise } from "../availability/spread";
import { keptText, percent, placesText, zonesText } from "../availability/text";
import { type Replanning, withModel, withPool } from "../fixes/setting";
import { hostsOf } from "../shared-servers";
import type { CapacityProblem, DeploymentPlan, ModelPlan } from "../types";
import { wholeUsd } from "./comparison";

/** Additional replicas to try, fewest first. */
const MORE_REPLICAS = [0, 1, 2];

/** The effect of losing one node or zone where availability is promised, and the price of more. */
export function availability(context: Replanning): CapacityProblem[] {
  return hostsOf(context.plan.models).flatMap((model): CapacityProblem[] =>
    model.availability ? [kept(model, model.availability, context)] : notPlanned(model),
  );
}

function kept(model: ModelPlan, plan: AvailabilityPlan, context: Replanning): CapacityProblem {
  const { promised, left } = plan;
  const head =
    left.head === undefined
      ? ""
      : " Without the node or zone of their head they answer for a while, and none of them is counted (single-head).";
  const lost = `One node lost leaves ${left.node} of ${plan.replicas} replicas, one zone ${left.zone}.${head}`;
  return advice(
    model.name,
    `${model.name} answers ${keptText(plan)}; ${percent(promised)} is promised. ${lost} ${nextStepText(model, plan, context)}`,
  );
}

/** The promise has no effect here and must not look kept. */
function notPlanned({ name, serviceLevel }: ModelPlan): CapacityProblem[] {
  return serviceLevel?.availability === undefined
    ? []
    : [
        advice(
          name,
          `${name}: nothing is planned by its availability: its prompts and answers are in pods of two kinds. Spread and replicas are as the file says.`,
        ),
      ];
}

function advice(name: string, message: string): CapacityProblem {
  return { severity: "advisory", rule: AVAILABILITY, subject: `models.${name}.serviceLevel.availability`, message };
}

interface Step {
  readonly promise: number;
  readonly replicas: number;
  readonly zones: number;
  readonly plan: DeploymentPlan;
  readonly availability: AvailabilityPlan;
}

function nextStepText(model: ModelPlan, now: AvailabilityPlan, context: Replanning): string {
  const step = nextStep(model, now, context);
  const pool = context.request.pools.find(({ name }) => name === model.pool);
  if (step === undefined || pool === undefined) {
    if (pool?.most?.nodes === 1) {
      return "More than that takes a cluster of several machines.";
    }
    return model.nodesPerReplica > 1
      ? "Its replicas span nodes and are not spread over zones: more than that takes another pool, or a second deployment in another zone."
      : "More than that takes a second region, or another pool.";
  }
  const { minNodes = 0 } = step.plan.pools.find(({ name }) => name === model.pool) ?? {};
  const changes = [
    `serviceLevel.availability: ${step.promise}`,
    ...(step.replicas > model.minReplicas ? [`replicas.min: ${step.replicas}`] : []),
    ...(minNodes > pool.maxNodes ? [`pools.${model.pool}.maxNodes: ${minNodes}`] : []),
    ...(step.zones > (pool.zones ?? 1) ? [zonesText(pool, step.zones)] : []),
  ];
  const hasPrice = pool.usdPerNodeHour > 0 || minNodes <= pool.minNodes;
  const price = hasPrice
    ? priceText(step.plan.cost.monthlyUsd, context.plan.cost.monthlyUsd)
    : `a price that is not known (pools.${model.pool}.usdPerNodeHour)`;
  return `Next step: ${changes.join(" and ")}, replicas ${placesText(step.availability.apart)}, ${percent(step.availability.expected)}: ${price}.`;
}

function priceText(then: number, now: number): string {
  return wholeUsd(then) === wholeUsd(now)
    ? "at the same price"
    : `${wholeUsd(then)} USD a month instead of ${wholeUsd(now)}`;
}

/**
 * The next higher promise and the fewest replicas that keep it, in the pool's zones if possible;
 * planned without a budget and with as many nodes as needed.
 */
function nextStep(
  { name, pool, minReplicas, maxReplicas, serviceLevel }: ModelPlan,
  { expected, uptime }: AvailabilityPlan,
  { request, again }: Replanning,
): Step | undefined {
  const promise = PROMISES.find((each) => !keepsPromise({ promised: each, expected, uptime }));
  const { monthlyBudgetUsd: _, ...unlimited } = request;
  const { maxNodes = 0, zones: now = 1, most } = request.pools.find((each) => each.name === pool) ?? {};
  if (promise === undefined || promise >= uptime.region) {
    return undefined;
  }
  const mostNodes = (more: number) => Math.min(maxNodes + more, most?.nodes ?? Number.POSITIVE_INFINITY);
  const planned = (replicas: number, zones: number) => {
    const changed = withModel(withPool(unlimited, pool, { maxNodes: mostNodes(replicas), zones }), name, {
      serviceLevel: { ...serviceLevel, availability: promise },
      minReplicas: replicas,
      maxReplicas: Math.max(maxReplicas, replicas),
    });
    const plan = again(changed);
    const { availability } = plan.models.find((each) => each.name === name) ?? {};
    return { promise, replicas, zones, plan, availability };
  };
  for (const more of MORE_REPLICAS) {
    const here = planned(minReplicas + more, now);
    const zones = here.availability?.keptInZones;
    const steps = [here, ...(zones === undefined ? [] : [planned(here.replicas, zones)])];
    for (const { availability, ...step } of steps) {
      if (availability !== undefined && !step.plan.problems.some(({ severity }) => severity === "mandatory")) {
        return { ...step, availability };
      }
    }
  }
  return undefined;
}
