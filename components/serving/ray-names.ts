/** What the operator, its connections and the pods of a Ray cluster call by one name. */
import { type Labels, ROLE_LABEL, selectorLabels } from "../../names/labels";
import { modelNamespaceName } from "../../names/namespaces";
import type { ModelPlan } from "../../planner/types";
import type { PodSelection } from "../core/connections";
import { serverName } from "./model-server";

/** Label value of the app, as selectors have it. */
export const RAY_APP = "ray";

/** The head keeps the cluster together; workers have the GPUs and answer requests. */
export type RayRole = "head" | "worker";

/** Of the head: applications are submitted to it, and it shows how they are. */
export const DASHBOARD_PORT = 8265;
/** Of the agent on each node, which knows whether Ray's own daemon lives (DefaultDashboardAgentListenPort of KubeRay). */
export const AGENT_PORT = 52365;

export function rayLabels(model: string, role: RayRole): Labels {
  return { ...selectorLabels(RAY_APP, serverName(model)), [ROLE_LABEL]: role };
}

/** All pods of a model's Ray cluster, or those of one role. */
export function rayPods({ name }: Pick<ModelPlan, "name">, role?: RayRole): PodSelection {
  return {
    namespace: modelNamespaceName(name),
    podLabels: role ? rayLabels(name, role) : selectorLabels(RAY_APP, serverName(name)),
  };
}
