import type { CapacityProblem, ModelPlan } from "../../../planner/types";

/** A model control API without anything to control. */
export function modelControlProblems(
  models: readonly Pick<ModelPlan, "nodesPerReplica">[],
  workers: readonly string[] = [],
): CapacityProblem[] {
  const drivesNothing =
    workers.length === 0 && models.length > 0 && models.every(({ nodesPerReplica }) => nodesPerReplica > 1);
  return drivesNothing ? [NOTHING_TO_DRIVE] : [];
}

const NOTHING_TO_DRIVE: CapacityProblem = {
  severity: "mandatory",
  rule: "model-control-engines",
  subject: "modelControl.enabled",
  message:
    "every model runs over several nodes, and the model control API drives only replicas of one node. Write enabled: false, or add a model that fits one node.",
};
