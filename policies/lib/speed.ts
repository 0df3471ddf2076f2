import type { Field } from "./field";
import { type PlanFacts, readPlan } from "./plan";
import type { Resource } from "./resource";

type ModelFacts = PlanFacts["models"][number];

export interface FastModel {
  readonly model: ModelFacts;
  readonly speed: NonNullable<ModelFacts["speed"]>;
  readonly resource: Resource;
  readonly field: Field;
}

export function modelsWithSpeed(resources: readonly Resource[]): FastModel[] {
  const reading = readPlan(resources);
  if (reading.state !== "read") {
    return [];
  }
  const { plan, resource, field } = reading;
  return plan.models.flatMap((model, index) =>
    model.speed === undefined
      ? []
      : [{ model, speed: model.speed, resource, field: field.get("models", index, "speed") }],
  );
}
