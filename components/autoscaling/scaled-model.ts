import type { ScalingPlan } from "../../planner/scaling";
import type { ModelPlan } from "../../planner/types";
import type { ModelEndpoint, ScaleTarget } from "../serving/endpoint";

/** An autoscaled model. */
export interface ScaledModel {
  readonly model: ModelPlan;
  readonly scaling: ScalingPlan;
  readonly endpoint: ModelEndpoint;
  /** Endpoints of its replicas: its own and those of models that share its server. */
  readonly served: readonly ModelEndpoint[];
  /** Controller of its replicas, in the endpoint's namespace. */
  readonly target: ScaleTarget;
}
