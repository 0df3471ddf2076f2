import { SERVICE_LEVEL } from "../../names/rules";
import { stackPolicy } from "../lib/policy";
import { modelsWithSpeed } from "../lib/speed";

/** Checks the recorded plan: the planner refused it already, unless the record was changed. */
export const serviceLevel = stackPolicy(
  {
    name: SERVICE_LEVEL,
    description:
      "Every model may have as many replicas as the peak of its traffic needs within its service level, at the level's confidence.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["capacity", "latency"],
    remediationSteps:
      "Raise the model's replicas.max or leave replicas out, allow a faster machine, or ask for less in its serviceLevel.",
  },
  (resources, report) => {
    for (const { model, speed, resource, field } of modelsWithSpeed(resources)) {
      const { neededReplicas } = speed;
      if (neededReplicas !== undefined && model.maxReplicas !== undefined && neededReplicas > model.maxReplicas) {
        report({
          resource,
          field: field.get("neededReplicas"),
          found: `is ${neededReplicas} for model "${model.name}"`,
          allowed: `at most its maxReplicas, ${model.maxReplicas}`,
        });
      }
    }
  },
);
