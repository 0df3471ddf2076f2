import { stackPolicy } from "../lib/policy";
import { modelsWithSpeed } from "../lib/speed";

export const serviceLevelCertainty = stackPolicy(
  {
    name: "service-level-certainty",
    description:
      "Every model keeps its service level beyond the error of its predicted speed: at confidence 0.95, whatever it asks for.",
    severity: "low",
    enforcementLevel: "advisory",
    tags: ["capacity", "latency"],
    remediationSteps:
      "Measure the model once it runs (npm run measure -- --url <its address>): the plan reads the result; or plan one replica more.",
  },
  (resources, report) => {
    for (const { model, speed, resource, field } of modelsWithSpeed(resources)) {
      const { confidence = 0.8 } = model.serviceLevel ?? {};
      const isMet = (speed.neededReplicas ?? 1) <= (model.maxReplicas ?? Number.POSITIVE_INFINITY);
      if (speed.sure === false && isMet) {
        report({
          resource,
          field: field.get("sure"),
          found: `is false for model "${model.name}": its level is kept at confidence ${confidence}, and within the error of the prediction (${speed.basis})`,
          allowed: "a level that is kept at confidence 0.95 too",
        });
      }
    }
  },
);
