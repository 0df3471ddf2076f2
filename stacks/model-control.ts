import type { CapacityProblem, ModelPlan } from "../planner/types";
import type { EnvironmentConfig } from "./config";
import { EXAMPLE_CONTROL_IMAGE } from "./config/sections/model-control";

/** What a reader of the plan must know of the model control API: that it can drive nothing, or has no image yet. */
export function modelControlProblems(
  { enabled, image }: EnvironmentConfig["modelControl"],
  models: readonly Pick<ModelPlan, "nodesPerReplica">[],
): CapacityProblem[] {
  if (!enabled) {
    return [];
  }
  const drivesNothing = models.length > 0 && models.every(({ nodesPerReplica }) => nodesPerReplica > 1);
  return [...(drivesNothing ? [NOTHING_TO_DRIVE] : []), ...(image === EXAMPLE_CONTROL_IMAGE ? [PLACEHOLDER] : [])];
}

const NOTHING_TO_DRIVE: CapacityProblem = {
  severity: "mandatory",
  rule: "model-control-engines",
  subject: "modelControl.enabled",
  message:
    "every model runs over several nodes, and the model control API drives only replicas of one node. Write enabled: false, or add a model that fits one node.",
};

const PLACEHOLDER: CapacityProblem = {
  severity: "advisory",
  rule: "model-control-image",
  subject: "modelControl.image",
  message: `${EXAMPLE_CONTROL_IMAGE} is a placeholder, and its pods would never start. Before "pulumi up", build and push services/model-control and name that image (docs/model-control.md), or write enabled: false.`,
};
