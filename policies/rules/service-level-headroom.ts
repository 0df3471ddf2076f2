import { stackPolicy } from "../lib/policy";
import { modelsWithSpeed } from "../lib/speed";

/** Share of capacity within the level: peaks grow, and replicas are replaced. */
const LEAST_HEADROOM = 0.2;

export const serviceLevelHeadroom = stackPolicy(
  {
    name: "service-level-headroom",
    description:
      "The peak of every model's traffic leaves a fifth of what its replicas answer within its service level.",
    severity: "low",
    enforcementLevel: "advisory",
    tags: ["capacity", "latency"],
    remediationSteps: "Write one replica more under the model's replicas, or a larger peakFactor under its traffic.",
  },
  (resources, report) => {
    for (const { model, speed, resource, field } of modelsWithSpeed(resources)) {
      const { headroom } = speed;
      // Negative headroom is for the policy "service-level".
      if (headroom !== undefined && headroom >= 0 && headroom < LEAST_HEADROOM) {
        report({
          resource,
          field: field.get("headroom"),
          found: `is ${Math.floor(headroom * 100)} % for model "${model.name}"`,
          allowed: `${LEAST_HEADROOM * 100} % or more`,
        });
      }
    }
  },
);
