import { hasTimes } from "../../planner/service-level";
import { peakRate } from "../../planner/traffic";
import type { CapacityProblem, ModelPlan } from "../../planner/types";
import type { Advised } from "./advice";

/** Declared speed that is not fully planned for: a green plan must not look like a promise. */
export function declaredLevels({ plan, environment }: Pick<Advised, "plan" | "environment">): CapacityProblem[] {
  return plan.models.flatMap((model) => {
    const { concurrency } = environment.models[model.name] ?? {};
    const isSaid = environment.models[model.name]?.derived?.includes("concurrency") !== true;
    return [
      unpredicted(model),
      withoutTraffic(model),
      // A lower concurrency makes more useless.
      isSaid && concurrency !== undefined && model.concurrency >= concurrency
        ? fewAtOnce(model, concurrency)
        : undefined,
    ].filter((problem) => problem !== undefined);
  });
}

function advice(name: string, key: string, rule: string, message: string): CapacityProblem {
  return { severity: "advisory", rule, subject: `models.${name}.${key}`, message };
}

/** Unknown speed. */
function unpredicted(model: ModelPlan): CapacityProblem | undefined {
  const { name, serviceLevel = {}, traffic, noSpeed } = model;
  const isAsked = traffic !== undefined || hasTimes(serviceLevel);
  if (noSpeed === undefined || !isAsked) {
    return undefined;
  }
  const key = traffic === undefined ? "serviceLevel" : "traffic";
  return advice(
    name,
    key,
    "service-level-not-planned",
    `${name}: nothing is sized by its ${key}: ${noSpeed}. What the plan keeps is contextTokens, concurrency and replicas as they are written; npm run measure shows the times once it runs${isMeasurable(model) ? ", and the plan counts with them" : ""}.`,
  );
}

/** CPU models need only an own measurement; GPU slices and shared servers have no formulas. */
function isMeasurable({ gpusPerNode, serverOf }: ModelPlan): boolean {
  return gpusPerNode === 0 && serverOf === undefined;
}

/** Times are compared with a single request only. */
function withoutTraffic({ name, serviceLevel = {}, traffic, speed }: ModelPlan): CapacityProblem | undefined {
  if (traffic !== undefined || speed === undefined || !hasTimes(serviceLevel)) {
    return undefined;
  }
  return advice(
    name,
    "traffic",
    "service-level-without-traffic",
    `${name}: one request alone keeps the times of its serviceLevel; whether all requests do, and how many replicas that takes, follows from traffic. Write models.${name}.traffic: {requestsPerSecond: …}.`,
  );
}

/** Replicas run more requests than plan and autoscaling assume. */
function fewAtOnce({ name, traffic, speed, maxReplicas }: ModelPlan, concurrency: number): CapacityProblem | undefined {
  if (traffic === undefined || speed === undefined || speed.saturated || speed.inFlight <= concurrency) {
    return undefined;
  }
  const inFlight = Math.ceil(speed.inFlight);
  return advice(
    name,
    "concurrency",
    "concurrency-below-traffic",
    `${name}: at a peak of ${peakRate(traffic)} requests/s on ${maxReplicas} replica(s) about ${inFlight} requests are under way in each, concurrency is ${concurrency}: limits of the gateway and targets of scaling count on that. Write models.${name}.concurrency: ${inFlight}, or remove it.`,
  );
}
