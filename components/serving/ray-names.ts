import { type Labels, ROLE_LABEL, selectorLabels } from "../../names/labels";
import { modelNamespaceName } from "../../names/namespaces";
import type { ModelPlan } from "../../planner/types";
import type { PodSelection } from "../core/connections";
import { serverName } from "./model-server";

/** Label value of the app, as selectors have it. */
export const RAY_APP = "ray";

/** The head coordinates; workers have GPUs and answer. */
export type RayRole = "head" | "worker";

/** Head: accepts applications and reports state. */
export const DASHBOARD_PORT = 8265;
/** Node agent, aware of Ray's daemon (DefaultDashboardAgentListenPort of KubeRay). */
export const AGENT_PORT = 52365;

export function rayLabels(model: string, role: RayRole): Labels {
  return { ...selectorLabels(RAY_APP, serverName(model)), [ROLE_LABEL]: role };
}

/** Pods of a role, or all. */
export function rayPods({ name }: Pick<ModelPlan, "name">, role?: RayRole): PodSelection {
  return {
    namespace: modelNamespaceName(name),
    podLabels: role ? rayLabels(name, role) : selectorLabels(RAY_APP, serverName(name)),
  };
}
