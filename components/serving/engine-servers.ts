import type { ModelPlan } from "../../planner/types";
import type { ModelServerClass } from "./model-server";

/** The components of an engine: for a model whose replicas fit on a node, and for one whose replicas span nodes. */
export interface EngineServers {
  readonly onOneNode: ModelServerClass;
  /** Of those on one node, some models have another: the first that serves the model. @default onOneNode */
  readonly variants?: readonly { readonly serves: (model: ModelPlan) => boolean; readonly server: ModelServerClass }[];
  readonly acrossNodes?: ModelServerClass;
}
