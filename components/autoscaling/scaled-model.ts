import type { ScalingPlan } from "../../planner/scaling";
import type { ModelPlan } from "../../planner/types";
import type { ModelEndpoint, ScaleTarget } from "../serving/endpoint";

/** A model whose replicas follow demand. */
export interface ScaledModel {
  readonly model: ModelPlan;
  readonly scaling: ScalingPlan;
  readonly endpoint: ModelEndpoint;
  /** All that its replicas answer for: its own, and those of models that joined its server. */
  readonly served: readonly ModelEndpoint[];
  /** What runs its replicas, in the endpoint's namespace. */
  readonly target: ScaleTarget;
}
