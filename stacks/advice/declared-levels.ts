import { hasTimes } from "../../planner/service-level";
import { peakRate } from "../../planner/traffic";
import type { CapacityProblem, ModelPlan } from "../../planner/types";
import type { Advised } from "./advice";

/** What was declared of a model's speed and is not planned for, or not all of it: a green plan must not be read as a promise. */
export function declaredLevels({ plan, environment }: Pick<Advised, "plan" | "environment">): CapacityProblem[] {
  return plan.models.flatMap((model) => {
    const { concurrency } = environment.models[model.name] ?? {};
    const isSaid = environment.models[model.name]?.derived?.includes("concurrency") !== true;
    return [
      unpredicted(model),
      withoutTraffic(model),
      // Of one that takes fewer than that at once, more are of no use.
      isSaid && concurrency !== undefined && model.concurrency >= concurrency
        ? fewAtOnce(model, concurrency)
        : undefined,
    ].filter((problem) => problem !== undefined);
  });
}

function advice(name: string, key: string, rule: string, message: string): CapacityProblem {
  return { severity: "advisory", rule, subject: `models.${name}.${key}`, message };
}

/** Nobody knows how fast it is. */
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

/** On CPUs a measurement of one's own is all that a prediction lacks; parts of GPUs and shared servers have no formulas either. */
function isMeasurable({ gpusPerNode, serverOf }: ModelPlan): boolean {
  return gpusPerNode === 0 && serverOf === undefined;
}

/** Its times are held against one request alone. */
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

/** More requests run in each replica than what is planned and scaled by counts on. */
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
