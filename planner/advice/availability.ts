import { AVAILABILITY } from "../../names/rules";
import { PROMISES } from "../availability/promises";
import type { AvailabilityPlan } from "../availability/spread";
import { keepsPromise } from "../availability/spread";
import { keptText, percent, placesText } from "../availability/text";
import { type Replanning, withModel, withPool } from "../fixes/setting";
import { hostsOf } from "../shared-servers";
import type { CapacityProblem, DeploymentPlan, ModelPlan } from "../types";
import { wholeUsd } from "./comparison";

/** Replicas that are tried besides those that run, the fewest first. */
const MORE_REPLICAS = [0, 1, 2];

/** What one node and one zone cost where availability is promised, and the price of more. */
export function availability(context: Replanning): CapacityProblem[] {
  return hostsOf(context.plan.models).flatMap((model): CapacityProblem[] =>
    model.availability ? [kept(model, model.availability, context)] : notPlanned(model),
  );
}

function kept(model: ModelPlan, plan: AvailabilityPlan, context: Replanning): CapacityProblem {
  const { promised, left } = plan;
  const lost = `One node lost leaves ${left.node} of ${plan.replicas} replicas, one zone ${left.zone}.`;
  return advice(
    model.name,
    `${model.name} answers ${keptText(plan)}; ${percent(promised)} is promised. ${lost} ${nextStepText(model, plan, context)}`,
  );
}

/** Nothing follows from the promise, which must not look kept. */
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
  readonly plan: DeploymentPlan;
  readonly availability: AvailabilityPlan;
}

function nextStepText(model: ModelPlan, now: AvailabilityPlan, context: Replanning): string {
  const step = nextStep(model, now, context);
  if (step === undefined) {
    return mostText(model, context);
  }
  const price = priceText(step.plan.cost.monthlyUsd, context.plan.cost.monthlyUsd);
  const replicas = step.replicas > model.minReplicas ? ` with replicas.min: ${step.replicas}` : "";
  const pool = step.plan.pools.find(({ name }) => name === model.pool);
  const most = context.plan.pools.find(({ name }) => name === model.pool)?.maxNodes ?? 0;
  const nodes = pool !== undefined && pool.minNodes > most ? ` and pools.${model.pool}.maxNodes: ${pool.minNodes}` : "";
  return `Next step: serviceLevel.availability: ${step.promise}${replicas}${nodes}, replicas ${placesText(step.availability.apart)}, ${percent(step.availability.expected)}: ${price}.`;
}

/** What more than one region's best takes. Nodes of others may be in more zones than the file says. */
function mostText({ pool: name, nodesPerReplica }: ModelPlan, { request }: Replanning): string {
  if (nodesPerReplica > 1) {
    return "Its replicas span nodes and are not spread over zones: more than that takes another pool, or a second deployment in another zone.";
  }
  const pool = request.pools.find((each) => each.name === name);
  return pool?.shape.provider === "onprem" && (pool.zones ?? 1) === 1
    ? `More than that takes nodes in two zones or sites (pools.${name}.uptime: { zones: 2 }), or another pool.`
    : "More than that takes a second region, or another pool.";
}

function priceText(then: number, now: number): string {
  return wholeUsd(then) === wholeUsd(now)
    ? "at the same price"
    : `${wholeUsd(then)} USD a month instead of ${wholeUsd(now)}`;
}

/** The next promise that people make, and the fewest replicas that keep it: planned without a budget, and with as many nodes as that takes. */
function nextStep(
  { name, pool, minReplicas, maxReplicas, serviceLevel }: ModelPlan,
  { expected }: AvailabilityPlan,
  { request, again }: Replanning,
): Step | undefined {
  const promise = PROMISES.find((each) => !keepsPromise({ promised: each, expected }));
  const { monthlyBudgetUsd: _, ...unlimited } = request;
  const { maxNodes = 0 } = request.pools.find((each) => each.name === pool) ?? {};
  for (const more of promise === undefined ? [] : MORE_REPLICAS) {
    const replicas = minReplicas + more;
    const changed = withModel(withPool(unlimited, pool, { maxNodes: maxNodes + replicas }), name, {
      serviceLevel: { ...serviceLevel, availability: promise },
      minReplicas: replicas,
      maxReplicas: Math.max(maxReplicas, replicas),
    });
    const plan = again(changed);
    const { availability: reached } = plan.models.find((each) => each.name === name) ?? {};
    const isRefused = plan.problems.some(({ severity }) => severity === "mandatory");
    if (promise !== undefined && reached !== undefined && !isRefused) {
      return { promise, replicas, plan, availability: reached };
    }
  }
  return undefined;
}
